/*
 * The book's steppers: numbers in, a picture out, as HTML with SVG inside; the
 * same bytes from the program that makes the book and from the browser.
 */
#ifndef BOOK_STEPS_H
#define BOOK_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a page calls, and main.c: run returns how many steps the n numbers[]
 * make; draw, of the first `shown`, how many bytes of picture[] they take, or 0
 * if they did not fit. */
enum { MOST_NUMBERS = 32 };
typedef enum { ONLINE, TILES, BACKWARD, WARP, PIPELINE } stepper;
extern float numbers[MOST_NUMBERS];
extern char picture[];
size_t run(stepper which, size_t n);
size_t draw(size_t shown);

/* What they call. Of what cannot be run the picture is error, else "". */
extern const char *error;
void show_online(size_t n, size_t shown);
size_t run_race(bool back);
void show_race(size_t shown);
size_t run_warp(void);
void show_warp(size_t shown);
void show_pipeline(size_t shown);

/* Adds to the picture, as printf writes. */
void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A picture 640 wide, until its </svg></div>; a rectangle; text that starts,
 * ends or has its middle at x. */
void svg(size_t height, const char *says);
void rect(const char *kind, double x, double y, double width, double height);
void label(const char *kind, const char *anchor, double x, double y,
           const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A table, until its </table></div>; a row of cells `a|b|c`, the first of one
 * tag and the others of another; one of two counts, with a comma before every
 * three digits. */
void table(const char *kind);
void row_of(const char *first, const char *others, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void two_counts(const char *of, double a, double b);

/* A kernel's visits of tiles, and what is counted: so far, and from ALL_VISITS
 * on of the whole run. Rows are of O or dQ, columns of dK and dV. */
enum { QUERIES, KEYS, NEITHER };
enum { VISITS, ROWS_WRITTEN, COLUMNS_WRITTEN, READ, WRITTEN, ALL_VISITS };
enum { MOVED = ALL_VISITS + 1, FORMULA, INITIAL, ON_CHIP, L_APART, COUNTS };
enum { MOST_VISITS = 4096 };

typedef struct {
    size_t from[2], to[2]; /* rows of the tile of queries, of that of keys */
    double count[COUNTS];
    struct {
        bool has[2], wrote[2], stored, over;
    } now; /* what this visit itself has done so far */
} visit;

typedef struct {
    visit nth[1 + MOST_VISITS]; /* from 1 on; 0 is what comes before them */
    size_t n, Br, Bc;
    char error[160]; /* "" if all went well */
} visits;

/* Runs the kernel on N queries and keys of d elements, with M on chip. */
typedef enum { FLASH1, FLASH2, ONE_KERNEL_BACK, TWO_KERNELS_BACK } book_kernel;
void record(visits *v, book_kernel which, size_t N, size_t d, size_t M);

/* Rung 10 on a clock, as it was recorded while the book is made: by
 * 07_cuda/lab/timeline.py, and as arrays by tools/book/pipeline.awk. */
typedef struct {
    int row; /* 0: loads; 1, 2: products, softmax of consumer A; 3, 4: of B */
    const char *label;
    int from, to;
} pipeline_box;

typedef struct {
    int clock;            /* when something begins, ends or is done */
    const char *roles[3]; /* who | what it did | what it does now */
    const char *stages;   /* Q | K[0] | K[1] | V[0] | V[1] */
} pipeline_moment;

extern const pipeline_box pipeline_boxes[]; /* in the order of their ends */
extern const pipeline_moment pipeline_moments[];
extern const size_t pipeline_boxes_n, pipeline_moments_n;

#ifdef __cplusplus
}
#endif

#endif
