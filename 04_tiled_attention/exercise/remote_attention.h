/*
 * A kernel, asked of a worker (remote.h): all of the remote.c of an exercise
 * is REMOTE_ATTENTION(write_tiled).
 *
 * O, L and the error come back, with what the worker says that it counted. It
 * may lie about that: a claim about counts is named in remote.c, `counted
 * inside the worker: CLAIM`, and earns nothing.
 */
#ifndef GRADE_REMOTE_ATTENTION_H
#define GRADE_REMOTE_ATTENTION_H

#include <string.h>

#include "common/head.h"
#include "tools/grade/remote.h"

static void attention_over(head *h, size_t *M)
{
    matrix *all[] = {&h->Q.hbm,    &h->K.hbm, &h->V.hbm,
                     &h->mask.hbm, &h->O.hbm, &h->L.hbm};

    GIVE(*h);
    GIVE(*M);
    for (size_t a = 0; a < sizeof all / sizeof all[0]; a++)
        GIVE_MATRIX(*all[a]);
}

static void attention_back(head *h, memory *mem)
{
    TAKE(mem->error);
    TAKE(mem->counts);
    TAKE(mem->on_chip);
    TAKE(mem->extra);
    TAKE_MATRIX(h->O.hbm);
    TAKE_MATRIX(h->L.hbm);
}

#ifdef JUDGE
#define REMOTE_ATTENTION(kernel)                                               \
    int kernel(const head *given, memory *mem)                                 \
    {                                                                          \
        head h = *given;                                                       \
                                                                               \
        attention_over(&h, &mem->M);                                           \
        exchange();                                                            \
        attention_back(&h, mem);                                               \
        if (mem->error)                                                        \
            strcpy(mem->message, "the submission refused");                    \
        return mem->error;                                                     \
    }
#else
#define REMOTE_ATTENTION(kernel)                                               \
    void serve(void)                                                           \
    {                                                                          \
        head h, theirs;                                                        \
        memory mem;                                                            \
        size_t M;                                                              \
                                                                               \
        attention_over(&h, &M);                                                \
        memset(&h.kept, 0, sizeof h.kept);                                     \
        memory_init(&mem, M);                                                  \
        theirs = h;                                                            \
        mem.error = kernel(&theirs, &mem);                                     \
        attention_back(&h, &mem);                                              \
        memory_reset(&mem);                                                    \
    }
#endif

#endif
