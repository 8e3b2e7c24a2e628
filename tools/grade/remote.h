/*
 * How the judge of an exercise asks a submission, which runs in a process of
 * its own, the worker.
 *
 * exercise/NAME/remote.c is compiled twice. With -DJUDGE it has the asked-for
 * functions, so that test_NAME.c can be linked with them: each gives its
 * arguments, exchanges, and takes what comes back. Without, it has serve(),
 * which is given the arguments, calls the submission, and lets the result be
 * taken: on both sides the same GIVE and TAKE. The worker decides nothing;
 * whatever comes back is judged by the test.
 */
#ifndef GRADE_REMOTE_H
#define GRADE_REMOTE_H

#include <stdbool.h>
#include <stdio.h>

/* Adds to what goes over next; takes the next part of what came. */
void say(const void *x, size_t size);
void hear(void *x, size_t size);
#define SAY(x)  say(&(x), sizeof(x))
#define HEAR(x) hear(&(x), sizeof(x))

/*
 * The judge: sends, and waits for what comes. True if that is a question: say
 * its answer and reply. Fails the running test if the worker ends, or takes
 * too long.
 */
bool exchange(void);
bool reply(void);

/* The worker: one call. It may ask the judge something meanwhile. */
void serve(void);
void question(void);

/* *array goes over whole, or as NULL. The worker gets one of just that size
 * and keeps it: it does not live long. So with the rows of a matrix. */
void give_array(void *array, size_t size);
void give_rows(float **x, size_t *rows, size_t *cols, size_t *stride);
void take_rows(float *x, size_t rows, size_t cols, size_t stride);

#ifdef JUDGE
#define give say
#define take hear
#else
#define give hear
#define take say
#endif
#define GIVE(x)        give(&(x), sizeof(x))
#define GIVE_ALL(x, n) give_array(&(x), (n) * sizeof *(x))
#define GIVE_MATRIX(a) give_rows(&(a).data, &(a).rows, &(a).cols, &(a).stride)
#define TAKE(x)        take(&(x), sizeof(x))
#define TAKE_ALL(x, n) take(x, (n) * sizeof *(x))
#define TAKE_MATRIX(a) take_rows((a).data, (a).rows, (a).cols, (a).stride)

/* For judge.c, which sends calls, and wire.c: a letter and what was said. */
enum { CALL = 'c', ANSWER = 'a', QUESTION = 'q' };
extern FILE *wire_in, *wire_out;
bool wire_send(int letter);
void wire_is_cut(void); /* what was to be heard did not come: no way back */

#endif
