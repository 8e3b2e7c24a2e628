/*
 * planted_bug, asked of a worker (tools/grade/remote_attention.h).
 */
#include "planted_bug.h"

#include "tools/grade/remote_attention.h"

REMOTE_ATTENTION(planted_bug)
