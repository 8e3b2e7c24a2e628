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

/* Writes the bytes to the other process, or reads them from it. Ends this process
 * if the other one has ended; _exit runs no code of a submission. */
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

/* The arrays that were sent with a call; the first is NULL. */
static struct sent {
    const void *data;
    size_t size;
} sent[20];
static size_t arrays;

/* Sends an array to the worker, as data or as the number of an array that was sent
 * before. The worker allocates exactly that size, and does not free it: it does not
 * run for long. */
static inline void *array_to_worker(const void *data, size_t size)
{
    size_t same = 0;

    while (JUDGE && same < arrays && sent[same].data != data)
        same++;
    pass(JUDGE, &same, sizeof same);
    if (same < arrays) {
        data = sent[same].data;
    } else {
        data = JUDGE ? data : malloc(size);
        pass(JUDGE, data, size);
    }
    sent[arrays++] = (struct sent){data, size};
    return (void *)data;
}

/* Replaces control characters in a worker's text, which the judge prints. */
static inline void one_line(char *text, size_t size)
{
    text[size - 1] = '\0';
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = '?';
}

#define ONE_LINE(x)       one_line(x, sizeof(x))
#define SEND(x)           pass(true, &(x), sizeof(x))
#define RECEIVE(x)        pass(false, &(x), sizeof(x))
#define TO_WORKER(x)      pass(JUDGE, &(x), sizeof(x))
#define TO_JUDGE(x)       pass(!JUDGE, &(x), sizeof(x))
#define ARRAY_TO_JUDGE(k) pass(!JUDGE, sent[k].data, sent[k].size)

#if JUDGE
#define ARRAY_TO_WORKER(x, n) array_to_worker(x, (n) * sizeof *(x))

/* Begins a call of function nth. GRADE_BEGINS: seconds in which the worker must
 * reply; GRADE_SECONDS: seconds for the call after that. */
static inline void call(int nth)
{
    alarm((unsigned)atoi(getenv("GRADE_BEGINS")));
    arrays = 1;
    SEND(nth);
    RECEIVE(nth);
    alarm((unsigned)atoi(getenv("GRADE_SECONDS")));
}
#else
#define ARRAY_TO_WORKER(x, n) ((x) = array_to_worker(x, (n) * sizeof *(x)))

/* Calls the test's function nth with argument x. Returns the result. */
static inline void *call_back(int nth, const void *x, size_t size)
{
    void *result;

    SEND(nth);
    pass(true, x, size);
    RECEIVE(size);
    result = malloc(size);
    pass(false, result, size);
    return result;
}

/* One function for each function of the exercise. */
extern void (*const serve[])(void);

int main(void)
{
    for (int nth;;) {
        RECEIVE(nth);
        SEND(nth);
        arrays = 1;
        serve[nth]();
    }
}
#endif

#endif
