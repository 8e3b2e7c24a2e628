/*
 * How the judge of an exercise asks a submission, which runs in a process of
 * its own, the worker.
 *
 * What remote.py makes of exercise/NAME/remote.txt is compiled twice, with both
 * ends of the line that are here. With -DJUDGE it has the asked-for functions, so
 * that test_NAME.c can be linked with them: each lets its arguments go over, and
 * the result come back. Without, it has functions that call the submission between
 * the same two lists. The worker decides nothing; whatever comes back is judged by
 * the test. What a function asks the test meanwhile is asked of the judge.
 *
 * Standard input is a line between the two, through which both write and read.
 */
#ifndef GRADE_REMOTE_H
#define GRADE_REMOTE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/matrix.h"

#ifdef JUDGE
#include "common/testing/run_tests.h"
enum { IS_JUDGE = true };
#else
enum { IS_JUDGE = false };
#endif

static FILE *in, *out;

/* Bytes to the other side, or from it. If it is no more all is over, and nothing
 * that a submission left to do is done. */
static inline void pass(bool writes, const void *x, size_t size)
{
    if (!in) {
        in = fdopen(STDIN_FILENO, "r");
        out = fdopen(STDIN_FILENO, "w");
    }
    if (!writes)
        fflush(out);
    if (size > 0 &&
        (writes ? fwrite(x, size, 1, out) : fread((void *)x, size, 1, in)) != 1)
        _exit(3);
}

/* What goes over with a call: a value, or an array, whole, or as one that went
 * before. The worker gets an array of just that size, and keeps it: it does not
 * live long. Of each: where the pointer to it is. The first stands for NULL. */
static struct went {
    const void *pointer;
    char *data;
    size_t size;
} went[20];
static size_t arrays;

static inline void over(const void *x, size_t size)
{
    pass(IS_JUDGE, x, size);
}

static inline void over_array(const void *pointer, size_t size)
{
    struct went a = {pointer, NULL, size};
    size_t same = 0;

    memcpy(&a.data, pointer, sizeof a.data);
    while (same < arrays && went[same].data != a.data)
        same++;
    over(&same, sizeof same);
    if (same < arrays) {
        a.data = went[same].data;
    } else {
        a.data = IS_JUDGE ? a.data : malloc(size);
        over(a.data, size);
    }
    if (!IS_JUDGE)
        memcpy((void *)pointer, &a.data, sizeof a.data);
    went[arrays++] = a;
}

/* Its rows lie one behind another. */
static inline void over_matrix(const void *x, size_t size)
{
    const matrix *a = x;

    over(a, size);
    over_array(&a->data, a->rows * a->stride * sizeof *a->data);
}

/* What comes back: a value, or all of an array that went over, whatever the
 * pointer to it is by now. */
static inline void back(const void *x, size_t size)
{
    size_t k = 1;

    while (k < arrays && went[k].pointer != x)
        k++;
    pass(!IS_JUDGE, k < arrays ? went[k].data : x,
         k < arrays ? went[k].size : size);
}

#define OVER(x)                                                                \
    _Generic((x), matrix : over_matrix, default : over)(&(x), sizeof(x))
#define OVER_ALL(x, n) over_array(&(x), (n) * sizeof *(x))
#define BACK(x)        back(&(x), sizeof(x))
#define HEAR(x)        pass(false, &(x), sizeof(x))

#ifdef JUDGE
/* The worker says that it is there. Then it has so many seconds. */
static inline void call(int nth)
{
    char letter;

    alarm(40);
    arrays = 1;
    over(&nth, sizeof nth);
    HEAR(letter);
    alarm((unsigned)atoi(getenv("GRADE_SECONDS")));
}

/* Whether a question comes back, and not the answer. */
static inline bool asked(void)
{
    char letter;

    HEAR(letter);
    if (letter != 'q')
        alarm(0);
    return letter == 'q';
}

static inline void reply(const void *x, size_t size)
{
    pass(true, &size, sizeof size);
    pass(true, x, size);
}
#else
/* Asks the judge the nth question, about x. */
static inline void *question(int nth, const void *x, size_t size)
{
    void *answer;

    pass(true, "q", 1);
    pass(true, &nth, sizeof nth);
    pass(true, x, size);
    HEAR(size);
    answer = malloc(size);
    pass(false, answer, size);
    return answer;
}

/* A function for each that is asked for. */
extern void (*const serve[])(void);

/* What a submission does or prints otherwise is of no account. */
int main(void)
{
    for (int nth;;) {
        HEAR(nth);
        pass(true, "a", 1);
        arrays = 1;
        serve[nth]();
    }
}
#endif

#endif
