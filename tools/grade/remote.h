/*
 * How the judge of an exercise asks a submission, which runs in a process of
 * its own, the worker.
 *
 * What remote.awk makes of exercise/NAME/remote.txt is compiled twice. With
 * -DJUDGE it has the asked-for functions, so that test_NAME.c can be linked with
 * them: each lets its arguments go over, exchanges, and lets the result come
 * back. Without, it has serve(), which calls the submission between the same two
 * lists. The worker decides nothing; whatever comes back is judged by the test.
 * What a function asks the test meanwhile is asked of the judge.
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

/* The worker: one call. nth tells which function. It may ask the judge something meanwhile. */
void serve(void);
void question(void);

/*
 * What goes over: a call of the nth function, and then a value, a matrix, or an
 * array, whole, as NULL, or as one that went before. The worker gets an array of
 * just that size and keeps it: it does not live long. What comes back: a value,
 * or all of an array or a matrix that went over, whatever its pointer is by now.
 */
void call(int nth);
void over(void *x, size_t size);
void over_matrix(void *a, size_t size);
void over_array(void *array, size_t size);
void back(void *x, size_t size);
#ifdef COMMON_MATRIX_H /* the exercise has matrices */
#define OVER(x)                                                                \
    _Generic((x), matrix : over_matrix, default : over)((void *)&(x), sizeof(x))
#else
#define OVER(x) over((void *)&(x), sizeof(x))
#endif
#define OVER_ALL(x, n) over_array((void *)&(x), (n) * sizeof *(x))
#define BACK(x)        back((void *)&(x), sizeof(x))

/* For judge.c, which sends calls, and wire.c: a letter and what was said. */
enum { CALL = 'c', ANSWER = 'a', QUESTION = 'q', READY = 'r' };
extern FILE *wire_in, *wire_out;
bool wire_send(int letter);
void wire_is_cut(void); /* what was to be heard did not come: no way back */

#endif
