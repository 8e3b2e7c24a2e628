/*
 * The program of chapter 05: what sharing a tile of keys saves, and what
 * carrying O through HBM costs. docs/05_flash1.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/program.h"
#include "05_flash1/steps.h"
#include "common/program/attention_program.h"
#include "common/print/report.h"

/* By all that crosses, in percent. */
static double percent_of(const counts *a, const counts *b)
{
    return 100 * (double)counts_crossed(*a) / (double)counts_crossed(*b);
}

/* FlashAttention's traffic over standard attention's, by formula. */
static double over_standard(size_t N, size_t d, size_t M)
{
    head h = {.Nq = N, .Nk = N, .d = d, .dv = d};
    counts flash = flash1_traffic(&h, flash1_tiles(&h, M));
    counts standard = standard_traffic(&h, (tile_sizes){0, 0});

    return (double)counts_moved(flash) / (double)counts_moved(standard);
}

static int lesson(const layer *p, size_t M, const measurement m[])
{
    size_t Br = measured(m, flash1)->tiles.Br;
    size_t Bc = measured(m, flash1)->tiles.Bc;
    const counts *flash = &measured(m, flash1)->counted;
    const counts *tiled = &measured(m, tiled_attention)->counted;
    const counts *standard = &measured(m, standard_attention)->counted;
    size_t Tc = tiles(p->each.Nk, Bc), rows = heads_of(p) * p->each.Nq * Tc;
    size_t K_V = heads_of(p) * p->each.Nk * (p->each.d + p->each.dv);
    size_t visits = counts_moved(*flash) - K_V;
    size_t seen = rows * (p->each.d + p->each.dv); /* Q read, O written */

    prose(
        "A tile of %zu queries shares each tile of keys: init and L included, "
        "flash1 moves %.1f%% of what tiled_attention moves, and %.1f%% of "
        "what standard_attention moves. K and V cross once, %s elements. "
        "Another %s are Q, O, m and l, which are read for each of the %zu "
        "tiles of keys, and O, m and l written back. To count only \"read Q, "
        "write O\" misses %.0f%% of these.",
        Br, percent_of(flash, tiled), percent_of(flash, standard),
        count_text(K_V).text, count_text(visits).text, Tc,
        100 * (1 - (double)seen / (double)visits));
    prose("It does not save everywhere: for N far above d it moves about "
          "3 d^2 / M of what standard moves. At N = 4096 and M = %s the whole "
          "formula gives %.2f for d = %zu, %.2f for d = 64 and %.2f for d = "
          "128; 3 d^2 / M is %.3g, %.3g and %.3g. And the time stays: scalar "
          "C is bound by arithmetic, which is the same for all.",
          count_text(M).text, over_standard(4096, p->each.d, M), p->each.d,
          over_standard(4096, 64, M), over_standard(4096, 128, M),
          3 * (double)(p->each.d * p->each.d) / (double)M,
          3 * 64 * 64 / (double)M, 3 * 128 * 128 / (double)M);
    return 0;
}

int main(int argc, char **argv)
{
    static const attention_step *const before[] = {&standard_step, &tiled_step,
                                                   NULL};
    static const way forward = {
        .about = "FlashAttention: queries share a tile of keys; O travels.\n"
                 "(--backward: its gradients; ./run --backward --help)",
        .example =
            "./run --q common/data/q.npy --k common/data/k.npy \\\n"
            "        --v common/data/v.npy --sram 4096 --out build/O.npy",
        .before = before,
        .own = chapter_05_steps,
        .lesson = lesson,
        .next = "./run --trace, then make chapter-06: must O travel?",
        .trace = trace_flash1,
    };

    return attention_program(&forward, &flash1_back, argc, argv);
}
