/*
 * The table of the chapters in README.md: what each step buys, counted and
 * measured on the bundled Q, K, V. Prints Markdown.
 *
 *     build/docs/lab/chapters
 */
#include <stdio.h>
#include <stdlib.h>

#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"
#include "03_online_softmax/steps.h"
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/problem/attention_arrays.h"
#include "common/lesson/softmax_lesson.h"
#include "common/problem/bundled.h"
#include "common/print/report.h"
#include "common/judge/reference.h"

#define M_ON_CHIP 8192 /* elements, as in the chapters' programs */

/* Begins a line. */
static void chapter(const char *page, const char *title, const char *change)
{
    printf("| [%.2s %s](docs/%s.md) | %s | ", page, title, page, change);
}

/* What a softmax step does with every row of real scores, changed as in the
 * lessons of chapters 01 and 02: passes, and rows that come out with a NaN. */
static int softmax_line(const npy_array *scores, const softmax_step *step)
{
    score_change change = score_changes[2];
    size_t n = scores->shape[3], rows = scores->size / n;
    float *x = malloc(scores->size * sizeof *x);
    softmax_verdict v;
    int failed = !x;

    if (!failed) {
        change_scores(change, scores->data, x, scores->size);
        failed = softmax_judge(&v, step, 64, x, rows, n);
    }
    if (!failed)
        printf("%g passes; scores %s: %zu of %zu rows give NaN |\n", v.passes,
               change.name, v.lost, rows);
    free(x);
    return failed;
}

static int softmax_lines(void)
{
    npy_array scores;
    int failed = bundled_scores(&scores);

    if (failed)
        return failed;
    chapter("01_naive_softmax", "Naive softmax",
            "the definition, word for word");
    failed |= softmax_line(&scores, chapter_01_steps);
    chapter("02_safe_softmax", "Safe softmax",
            "subtract the row's maximum first");
    failed |= softmax_line(&scores, chapter_02_steps);
    chapter("03_online_softmax", "Online softmax",
            "maximum and sum in one pass; blocks merge");
    failed |= softmax_line(&scores, chapter_03_steps);
    npy_free(&scores);
    return failed;
}

typedef struct {
    double moved; /* all HBM elements, over all heads */
    size_t extra; /* elements in HBM beside the inputs and outputs, a head */
} cost;

static int cost_of(const layer *p, const attention_step *step, cost *c)
{
    memory mem;
    int failed;

    memory_init(&mem, M_ON_CHIP);
    failed = heads_run(p, step, &mem);
    if (failed)
        fprintf(stderr, "chapters: %s: %s\n", step->name, mem.message);
    c->moved = (double)counts_crossed(mem.counts);
    c->extra = mem.extra;
    memory_reset(&mem);
    return failed;
}

static int attention_lines(const layer *p)
{
    cost standard, tiled, flash1_, flash2_;

    if (cost_of(p, &chapter_04_steps[0], &standard) ||
        cost_of(p, &chapter_04_steps[4], &tiled) ||
        cost_of(p, &chapter_05_steps[0], &flash1_) ||
        cost_of(p, &chapter_06_steps[1], &flash2_))
        return 1;
    chapter("04_tiled_attention", "Tiled attention",
            "S is not stored: the output joins the running state");
    printf(
        "%s elements of extra memory per head in place of %s, for %.1f times "
        "the HBM traffic |\n",
        count_text(tiled.extra).text, count_text(standard.extra).text,
        tiled.moved / standard.moved);
    chapter("05_flash1", "FlashAttention",
            "a tile of queries shares each tile of keys");
    printf("%s extra, for %.2f times standard's traffic |\n",
           count_text(flash1_.extra).text, flash1_.moved / standard.moved);
    chapter("06_flash2", "FlashAttention-2",
            "divide once, swap the loops: O stays on chip");
    printf("%s extra, for %.2f times standard's traffic |\n",
           count_text(flash2_.extra).text, flash2_.moved / standard.moved);
    return 0;
}

int main(void)
{
    attention_arrays a;
    int failed = arrays_bundled(&a);

    if (!failed) {
        printf("| chapter | the one change | counted on the bundled Q, K, V "
               "|\n|---|---|---|\n");
        failed = softmax_lines() || attention_lines(&a.problem);
    }
    arrays_free(&a);
    return report_end(failed);
}
