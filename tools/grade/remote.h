/*
 * How the judge of an exercise asks a submission, which runs in a process of
 * its own, the worker.
 *
 * What remote.py makes of exercise/NAME/remote.txt is compiled twice, with both
 * ends of the line that are here. With -DJUDGE it has the asked-for functions, so
 * that test_NAME.c can be linked with them: each lets its arguments go over,
 * exchanges, and lets the result come back. Without, it has functions that call
 * the submission between the same two lists. The worker decides nothing; whatever
 * comes back is judged by the test. What a function asks the test meanwhile is
 * asked of the judge.
 *
 * The line is memory that both see, and standard input for letters, of which
 * grade.py passes on what comes from either. Both go through a call's bytes in the
 * same order, so that neither has to say where it is.
 */
#ifndef GRADE_REMOTE_H
#define GRADE_REMOTE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/matrix.h"

#ifdef JUDGE
#include "common/testing/run_tests.h"
enum { IS_JUDGE = true };
#else
enum { IS_JUDGE = false };
#endif

/* A letter hands over. STOPPED is grade.py's: the worker is no more. */
enum {
    READY = 'r',
    CALL = 'c',
    ANSWER = 'a',
    QUESTION = 'q',
    REPLY = 'y',
    STOPPED = 's'
};

enum { SHARED = 1 << 26 };
static char *shared;
static size_t at;

static void __attribute__((constructor)) begin(void)
{
    shared = mmap(NULL, SHARED, PROT_READ | PROT_WRITE, MAP_SHARED,
                  atoi(getenv("GRADE_MEMORY")), 0);
}

/* Writes the next bytes that both see, or reads them. */
static inline void pass(bool writes, void *x, size_t size)
{
    if (size > SHARED - at)
        _exit(1);
    if (size > 0)
        memcpy(writes ? shared + at : x, writes ? x : shared + at, size);
    at += size;
}
#define HEAR(x) pass(false, &(x), sizeof(x))

/* Until the other side hands over in its turn: its letter. If it never does all
 * is over, and nothing that a submission left to do is done. */
static inline char handed_over(char letter)
{
    if (write(STDIN_FILENO, &letter, 1) != 1 ||
        read(STDIN_FILENO, &letter, 1) != 1)
        _exit(1);
    return letter;
}

/*
 * What goes over: a call of the nth function, and then a value, a matrix, or an
 * array, whole, as NULL, or as one that went before. The worker gets an array of
 * just that size and keeps it: it does not live long. What comes back: a value,
 * or all of an array or a matrix that went over, whatever its pointer is by now.
 */
#define OVER(x)                                                                \
    _Generic((x), matrix : over_matrix, default : over)((void *)&(x), sizeof(x))
#define OVER_ALL(x, n) over_array((void *)&(x), (n) * sizeof *(x))
#define BACK(x)        back((void *)&(x), sizeof(x))

/* The arrays of a call: where the pointer to each is, and its rows, in bytes. */
static struct went {
    const void *pointer;
    char *data;
    size_t rows, row, stride;
} went[20];
static size_t arrays;

static inline void pass_rows(bool writes, struct went a)
{
    for (size_t i = 0; a.data && i < a.rows; i++)
        pass(writes, a.data + i * a.stride, a.row);
}

static inline void over(void *x, size_t size)
{
    pass(IS_JUDGE, x, size);
}

static inline void call(int nth)
{
    arrays = at = 0;
    over(&nth, sizeof nth);
}

/* What is the same array for the judge is so for the worker, too. */
static inline void over_rows(void *pointer, size_t rows, size_t row,
                             size_t stride)
{
    size_t same = 0;
    bool is_there;
    char *x;

    memcpy(&x, pointer, sizeof x);
    is_there = x;
    while (same < arrays && went[same].data != x)
        same++;
    over(&same, sizeof same);
    over(&is_there, sizeof is_there);
    if (!IS_JUDGE) {
        x = NULL;
        if (is_there)
            x = same < arrays ? went[same].data : malloc(rows * row);
        memcpy(pointer, &x, sizeof x);
        stride = row;
    }
    went[arrays] = (struct went){pointer, x, rows, row, stride};
    if (same == arrays)
        pass_rows(IS_JUDGE, went[arrays]);
    arrays++;
}

static inline void over_array(void *x, size_t size)
{
    over_rows(x, 1, size, size);
}

static inline void over_matrix(void *pointer, size_t size)
{
    matrix *a = pointer;

    (void)size;
    over(&a->rows, sizeof a->rows);
    over(&a->cols, sizeof a->cols);
    over_rows(&a->data, a->rows, a->cols * sizeof *a->data,
              a->stride * sizeof *a->data);
    if (!IS_JUDGE)
        a->stride = a->cols;
}

static inline void back(void *x, size_t size)
{
    size_t k = 0;

    while (k < arrays && went[k].pointer != x)
        k++;
    if (k < arrays)
        pass_rows(!IS_JUDGE, went[k]);
    else
        pass(!IS_JUDGE, x, size);
}

#ifdef JUDGE
/* Hands over a CALL or a REPLY. True if a question comes back, which is to be heard
 * and replied to. Fails the running test if the worker ends, or takes too long. */
static inline bool exchange(int letter)
{
    char came = handed_over((char)letter);

    if (came == STOPPED) {
        print_error("%s\n", shared);
        _fail(__FILE__, __LINE__);
    }
    return came == QUESTION;
}

static inline void reply(const void *x, size_t size)
{
    pass(true, &size, sizeof size);
    pass(true, (void *)x, size);
}
#else
/* Asks the judge the nth question, about x; the answer is good until the next. */
static inline const void *question(int nth, void *x, size_t size)
{
    static void *answer;

    pass(true, &nth, sizeof nth);
    pass(true, x, size);
    handed_over(QUESTION);
    HEAR(size);
    free(answer);
    answer = malloc(size);
    pass(false, answer, size);
    return answer;
}

/* A function for each that is asked for. */
extern void (*const serve[])(void);

/* What a submission does or prints otherwise is of no account. */
int main(void)
{
    char letter = READY;

    while (handed_over(letter) == CALL) {
        int nth;

        arrays = at = 0;
        HEAR(nth);
        serve[nth]();
        letter = ANSWER;
    }
    _exit(0);
}
#endif

#endif
