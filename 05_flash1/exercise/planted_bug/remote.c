/*
 * planted_bug, asked of a worker (tools/grade/remote_attention.h).
 */
#include "planted_bug.h"

#include "tools/grade/remote_attention.h"

#ifdef JUDGE
int planted_bug(const head *h, memory *mem)
{
    return ask_attention(h, mem);
}
#else
#include "tools/grade/remote.h"

void serve(void)
{
    serve_attention(planted_bug);
}
#endif
