/*
 * Both ends of the line between judge and worker (remote.h): memory that both
 * see, and standard input for the letters, of which grade.py passes on what comes
 * from either. Both go through a call's bytes in the same order, so that neither
 * has to say where it is. The worker calls a submission as often as it is asked;
 * what it does or prints otherwise is of no account.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/matrix.h"
#include "tools/grade/remote.h"

#ifdef JUDGE
#include "common/testing/run_tests.h"
enum { IS_JUDGE = true };
#else
enum { IS_JUDGE = false };
#endif

enum { MEMORY = 1 << 26 };
static char *memory;
static size_t at;

static void __attribute__((constructor)) begin(void)
{
    memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED,
                  atoi(getenv("GRADE_MEMORY")), 0);
}

void pass(bool writes, void *x, size_t size)
{
    if (size > MEMORY - at)
        _exit(1);
    if (size > 0)
        memcpy(writes ? memory + at : x, writes ? x : memory + at, size);
    at += size;
}

/* Until the other side hands over in its turn: its letter. If it never does all
 * is over, and nothing that a submission left to do is done. */
static char handed_over(char letter)
{
    if (write(STDIN_FILENO, &letter, 1) != 1 ||
        read(STDIN_FILENO, &letter, 1) != 1)
        _exit(1);
    return letter;
}

/* The arrays of a call: where the pointer to each is, and its rows, in bytes. */
static struct went {
    const void *pointer;
    char *data;
    size_t rows, row, stride;
} went[20];
static size_t arrays;

static void pass_rows(bool writes, struct went a)
{
    for (size_t i = 0; a.data && i < a.rows; i++)
        pass(writes, a.data + i * a.stride, a.row);
}

void call(int nth)
{
    arrays = at = 0;
    over(&nth, sizeof nth);
}

void over(void *x, size_t size)
{
    pass(IS_JUDGE, x, size);
}

/* What is the same array for the judge is so for the worker, too. */
static void over_rows(void *pointer, size_t rows, size_t row, size_t stride)
{
    size_t same = 0;
    bool is_there;
    char *x;

    memcpy(&x, pointer, sizeof x);
    is_there = x;
    while (same < arrays && went[same].data != x)
        same++;
    OVER(same);
    OVER(is_there);
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

void over_array(void *array, size_t size)
{
    over_rows(array, 1, size, size);
}

void over_matrix(void *pointer, size_t size)
{
    matrix *a = pointer;

    (void)size;
    OVER(a->rows);
    OVER(a->cols);
    over_rows(&a->data, a->rows, a->cols * sizeof *a->data,
              a->stride * sizeof *a->data);
    if (!IS_JUDGE)
        a->stride = a->cols;
}

void back(void *x, size_t size)
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
bool exchange(int letter)
{
    char came = handed_over((char)letter);

    if (came == STOPPED) {
        print_error("%s\n", memory);
        _fail(__FILE__, __LINE__);
    }
    return came == QUESTION;
}

void reply(const void *x, size_t size)
{
    pass(true, &size, sizeof size);
    pass(true, (void *)x, size);
}
#else
const void *question(int nth, void *x, size_t size)
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
