/*
 * How the judge of an exercise asks a submission, which runs in a process of
 * its own, the worker.
 *
 * exercise/NAME/remote.c is compiled twice. With -DJUDGE it has the asked-for
 * functions, so that test_NAME.c can be linked with them: each says its
 * arguments, exchanges, and hears the answer. Without, it has serve(), which
 * hears the arguments, calls the submission and says the answer. The worker
 * decides nothing: whatever comes back is judged by the test.
 */
#ifndef GRADE_REMOTE_H
#define GRADE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

/* Adds to the message that goes over next. */
void say(const void *x, size_t size);
/* Takes the next part of the message that came. */
void hear(void *x, size_t size);

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

/* An object, or n of a type. */
#define SAY(x)         say(&(x), sizeof(x))
#define HEAR(x)        hear(&(x), sizeof(x))
#define SAY_ALL(x, n)  say(x, (n) * sizeof *(x))
#define HEAR_ALL(x, n) hear(x, (n) * sizeof *(x))

/* The worker: n floats that came, in an array of just that size. */
float *heard_floats(size_t n);

#endif
