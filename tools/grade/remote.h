/*
 * The judge of an exercise calls a submission, which runs in another process,
 * the worker. A socket, the standard input of both, connects the two.
 *
 * The code that remote.py makes of an exercise's settings is compiled twice.
 * With JUDGE it has the functions of the exercise, and test_NAME.c is linked
 * with them: each sends its arguments and receives the result. Without JUDGE it
 * has functions that receive the arguments, call the submission and send the
 * result. The worker decides nothing; the test judges all results. The judge
 * answers calls from the submission to the test.
 */
#ifndef GRADE_REMOTE_H
#define GRADE_REMOTE_H

#include <stdlib.h>
#include <unistd.h>

#include "common/matrix.h"

/* Bytes to the other side, or from it. If it is no more all is over, and nothing
 * that a submission left to do is done. */
static inline void pass(bool writes, const void *x, size_t size)
{
    const char *at = x;

    for (ssize_t n; size > 0; at += n, size -= (size_t)n) {
        n = writes ? write(STDIN_FILENO, at, size)
                   : read(STDIN_FILENO, (char *)at, size);
        if (n <= 0)
            _exit(3);
    }
}

/* The arrays that went over with a call; the first stands for NULL. */
static struct went {
    const void *data;
    size_t size;
} went[20];
static size_t arrays;

/* An array goes over whole, or as one that went before. The worker gets one of just
 * that size, and keeps it: it does not live long. */
static inline void *over_array(const void *data, size_t size)
{
    size_t same = 0;

    while (JUDGE && same < arrays && went[same].data != data)
        same++;
    pass(JUDGE, &same, sizeof same);
    if (same < arrays) {
        data = went[same].data;
    } else {
        data = JUDGE ? data : malloc(size);
        pass(JUDGE, data, size);
    }
    went[arrays++] = (struct went){data, size};
    return (void *)data;
}

/* Text of the worker, which the judge prints: in one line. */
static inline void one_line(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = '?';
}

#define ONE_LINE(x)   one_line(x, sizeof(x))
#define TELL(x)       pass(true, &(x), sizeof(x))
#define HEAR(x)       pass(false, &(x), sizeof(x))
#define OVER(x)       pass(JUDGE, &(x), sizeof(x))
#define BACK(x)       pass(!JUDGE, &(x), sizeof(x))
#define BACK_ARRAY(k) pass(!JUDGE, went[k].data, went[k].size)

#if JUDGE
#define OVER_ARRAY(x, n) over_array(x, (n) * sizeof *(x))

/* The worker says that it is there. Then it has so many seconds. */
static inline void call(int nth)
{
    alarm((unsigned)atoi(getenv("GRADE_BEGINS")));
    arrays = 1;
    TELL(nth);
    HEAR(nth);
    alarm((unsigned)atoi(getenv("GRADE_SECONDS")));
}
#else
#define OVER_ARRAY(x, n) ((x) = over_array(x, (n) * sizeof *(x)))

/* Asks the judge the nth question, about x. */
static inline void *question(int nth, const void *x, size_t size)
{
    void *answer;

    TELL(nth);
    pass(true, x, size);
    HEAR(size);
    answer = malloc(size);
    pass(false, answer, size);
    return answer;
}

/* A function for each function of the exercise. */
extern void (*const serve[])(void);

/* What a submission does or prints otherwise is of no account. */
int main(void)
{
    for (int nth;;) {
        HEAR(nth);
        TELL(nth);
        arrays = 1;
        serve[nth]();
    }
}
#endif

#endif
