/*
 * The program of chapter 04: from standard attention to a tile of keys at a
 * time, what each form moves through HBM. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"
#include "common/program/attention_program.h"
#include "common/print/report.h"

/* Traffic over standard attention's. */
static double over_standard(const measurement m[], attention_fn *kernel)
{
    return (double)moved(&measured(m, kernel)->counted, ALGORITHM) /
           (double)moved(&measured(m, standard_attention)->counted, ALGORITHM);
}

static int lesson(const layer *p, size_t M, const measurement m[])
{
    const measurement *tiled = measured(m, tiled_attention);

    (void)M;
    prose("standard_attention stores S: %s elements per head beyond inputs and "
          "outputs, the others none. But every query then reads all of K and V "
          "again: three passes over them move %.1f times what standard moves, "
          "two %.1f, one %.1f.",
          count_text(measured(m, standard_attention)->extra).text,
          over_standard(m, three_pass_attention),
          over_standard(m, two_pass_attention),
          over_standard(m, one_pass_attention));
    prose("A tile of %zu keys moves no less. It rescales o once per tile, not "
          "once per key: %s multiplications, not %s; and so it takes about "
          "standard's time with %.1f times its traffic. Scalar C is bound by "
          "arithmetic; what is counted here is what a GPU waits for.",
          min_size(tiled->tiles.Bc, p->each.Nk),
          count_text(tiled->counted.rescales).text,
          count_text(measured(m, one_pass_attention)->counted.rescales).text,
          over_standard(m, tiled_attention));
    return 0;
}

int main(int argc, char **argv)
{
    static const way forward = {
        .about = "Attention, from S stored in HBM to a tile of keys at a time.",
        .example = "./run --q common/data/q.npy --k common/data/k.npy \\\n"
                   "        --v common/data/v.npy --causal --bc 64 --out "
                   "build/O.npy",
        .own = chapter_04_steps,
        .reading = 4, /* tiled_attention */
        .one_query = true,
        .lesson = lesson,
        .next = "./run --trace, then make chapter-05: who could share a tile?",
        .trace = trace_tiled_attention,
    };

    return attention_program(&forward, NULL, argc, argv);
}
