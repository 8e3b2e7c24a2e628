/*
 * The judge of an exercise calls a submission, which runs in another process,
 * the worker. A socket connects the judge and the worker. It is the standard
 * input of both processes.
 *
 * remote.py generates code from an exercise's settings, which is compiled
 * twice. With JUDGE = 1 it defines the functions of the exercise for
 * test_NAME.c. Each function sends its arguments to the worker and receives the
 * result. With JUDGE = 0 it receives the arguments, calls the submission and
 * sends the result. Only the test decides whether a result is right.
 */
#ifndef GRADE_REMOTE_H
#define GRADE_REMOTE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/matrix.h"
#include "common/testing/inputs.h"

/* Writes size bytes at x to the other process, or reads them from it. If the
 * other process has ended, calls _exit(3): no code of a submission runs. */
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

/* The arrays that were sent in the current call. sent[0] stands for NULL. */
static struct sent {
    const void *data;
    size_t size;
    void *before; /* a copy of an input, or NULL */
} sent[20];
static size_t arrays;

/* Passes an array of size bytes to the worker, or only its number if this call
 * passed it before. Returns the array in this process. The worker allocates
 * exactly size bytes and never frees them. */
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
    sent[arrays++] = (struct sent){data, size, NULL};
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

/* Begins a call of function nth. The worker must reply within GRADE_BEGINS
 * seconds, and must then send the result within GRADE_SECONDS seconds. */
static inline void call(int nth)
{
    alarm((unsigned)atoi(getenv("GRADE_BEGINS")));
    arrays = 1;
    SEND(nth);
    RECEIVE(nth);
    alarm((unsigned)atoi(getenv("GRADE_SECONDS")));
}

#define INPUT_TO_JUDGE(k, name) check_input(name)

/* Fails the test if the worker has changed its copy of an input. */
static inline void check_input(const char *name)
{
    char changed;

    RECEIVE(changed);
    if (changed)
        input_changed(name);
}
#else
#define INPUT_TO_JUDGE(k, name) send_changed(k)

/* Keeps a copy of array k, which is an input. */
static inline void keep(size_t k)
{
    if (sent[k].data)
        sent[k].before =
            memcpy(malloc(sent[k].size + 1), sent[k].data, sent[k].size);
}

/* Sends 1 if array k has changed, and is not also another argument. */
static inline void send_changed(size_t k)
{
    char changed = sent[k].before &&
                   memcmp(sent[k].before, sent[k].data, sent[k].size) != 0;

    for (size_t other = 1; other < arrays; other++)
        if (other != k && sent[other].data == sent[k].data)
            changed = 0;
    free(sent[k].before);
    SEND(changed);
}

#define ARRAY_TO_WORKER(x, n) ((x) = array_to_worker(x, (n) * sizeof *(x)))

/* Calls function nth of the test with the argument x. Allocates the result. */
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

/* serve[nth] runs function nth in the worker. */
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
