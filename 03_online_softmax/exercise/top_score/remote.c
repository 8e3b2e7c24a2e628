/*
 * top_score, asked of a worker (tools/grade/remote.h): the scores stay with
 * the judge, which counts how often it is asked.
 */
#include "top_score.h"

#include "tools/grade/remote.h"

#ifdef JUDGE
top top_score(score_fn *score, size_t n)
{
    size_t i;
    float x;
    top answer;

    SAY(n);
    for (bool asked = exchange(); asked; asked = reply()) {
        HEAR(i);
        x = score(i);
        SAY(x);
    }
    HEAR(answer);
    return answer;
}
#else
static float ask(size_t i)
{
    float x;

    SAY(i);
    question();
    HEAR(x);
    return x;
}

void serve(void)
{
    size_t n;
    top answer;

    HEAR(n);
    answer = top_score(ask, n);
    SAY(answer);
}
#endif
