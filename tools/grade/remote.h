/*
 * How the judge of an exercise asks a submission, which runs in a process of
 * its own, the worker.
 *
 * What remote.py makes of exercise/NAME/remote.txt is compiled twice. With
 * -DJUDGE it has the asked-for functions, so that test_NAME.c can be linked with
 * them: each lets its arguments go over, exchanges, and lets the result come
 * back. Without, it has functions that call the submission between the same two
 * lists. The worker decides nothing; whatever comes back is judged by the test.
 * What a function asks the test meanwhile is asked of the judge.
 */
#ifndef GRADE_REMOTE_H
#define GRADE_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

/* A letter hands over. STOPPED is grade.py's: the worker is no more. */
enum {
    READY = 'r',
    CALL = 'c',
    ANSWER = 'a',
    QUESTION = 'q',
    REPLY = 'y',
    STOPPED = 's'
};

/* Writes the next bytes that both see, or reads them. */
void pass(bool writes, void *x, size_t size);
#define HEAR(x) pass(false, &(x), sizeof(x))

/* The judge hands over a CALL or a REPLY. True if a question comes back, which is
 * to be heard and answered. Fails the running test if the worker ends, or takes
 * too long. */
bool exchange(int letter);
void reply(const void *x, size_t size);

/* The worker: a function for each that is asked for. It may ask the judge its nth
 * question, about x; the answer is good until the next. */
extern void (*const serve[])(void);
const void *question(int nth, void *x, size_t size);

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

#endif
