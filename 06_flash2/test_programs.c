/*
 * The programs of chapters 04 to 06, with their steps: the traces show what the
 * kernels do, and gradients of files are right by any step. (The rest of what the
 * programs have in common: common/tests/test_attention_program.c.)
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/program.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/program.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <string.h>

/* Without the chapters before, and what is said about them. */
static int tiled(int argc, char **argv)
{
    const way forward = {.own = chapter_04_steps,
                         .trace = trace_tiled_attention};

    return attention_program(&forward, NULL, argc, argv);
}

static int main_of_first(int argc, char **argv)
{
    const way forward = {.own = chapter_05_steps, .trace = trace_flash1};

    return attention_program(&forward, &flash1_back, argc, argv);
}

static int second(int argc, char **argv)
{
    const way forward = {.own = chapter_06_steps,
                         .also = chapter_06_variants,
                         .reading = 1, /* flash2 */
                         .trace = trace_flash2};

    return attention_program(&forward, &flash2_back, argc, argv);
}

/* --- Traces --------------------------------------------------------------- */

/* Runs of blanks become one. A trace compares itself with the kernels, and
 * fails if they differ. */
static void check_trace(program_fn *program, const char *line,
                        const char *const wanted[])
{
    char text[16000];
    size_t n = 0;

    for (const char *c = printed_by(program, line); *c; c++)
        if ((*c != ' ' || c[1] != ' ') && n + 1 < sizeof text)
            text[n++] = *c;
    text[n] = '\0';
    for (; *wanted; wanted++)
        if (!strstr(text, *wanted))
            fail_msg("./run %s: not in the trace: %s", line, *wanted);
}

/* By hand: query 0 scores 1 0 | 2 1, so m goes from 1 to 2, l from 1 + e^-1 to
 * (1 + e^-1) e^-1 + 1 + e^-1, and o from (e, 1) / (e + 1) to (e + 2 e^2, 1 + 2
 * e) / (e + 1 + e^2 + e), which is 1.2655 and 0.4656. Unnormalised: e^-1 (1,
 * e^-1) + (2, 2 e^-1) is (2.3679, 0.8711). */
IN_DIRECTORY(the_traces_are_followed_by_hand)
{
    check_trace(tiled, "--trace",
                (const char *const[]){
                    "1.8711 0.1966 0.0723 0.5344 0.1966 1.2655 0.4656\n",
                    "1 1.3679 0.7311 0.2689\n",
                    "0.3679 1 1.8711 1.2655 0.4656\n",
                    "This O is standard_attention's own, bit for bit.\n",
                    "This O is tiled_attention's own, bit for bit.\n", NULL});
    check_trace(main_of_first, "--trace",
                (const char *const[]){"1 (0,0) 0 1 0", "3 (0,1) 0 2 1",
                                      "0.3679 1 1.8711 1.2655 0.4656\n",
                                      "This O is flash1's own, bit for bit.\n",
                                      " 3 K1 V1 Q0 O0 m0 l0 O0 m0 l0\n", NULL});
    check_trace(second, "--trace",
                (const char *const[]){"1.8711 2.3679 0.8711\n",
                                      "1.2655 0.4656 2.6265\n",
                                      "This O is flash2's own, bit for bit.\n",
                                      " 3 Q1 K0 V0\n", NULL});
}

/* Query 0: scores 1 0 2 1, so that L is ln(2e + 1 + e^2) = 2.6265, and p of the
 * first key e / 13.8256 = 0.1966. dO is (1, 0): dp are the first columns of V,
 * 1 0 2 0, and D is o's, 1.2655: ds of key 0 is 0.1966 (1 - 1.2655). */
IN_DIRECTORY(the_traces_back_are_followed_by_hand)
{
    const char *const both[] = {
        " 0 1 0 1.2655 0.4656 1.2655 2.6265\n",
        " 1 (0,0) 0 0.1966 0.0723 1 0 -0.0522 -0.0915 -0.0522 -0.0915\n",
        " 3 (0,1) 0 0.5344 0.1966 2 0 0.3925 -0.2488 0.4841 -0.1966\n",
        " 0 0.4841 -0.1966 -0.4166 -0.1440 0.4528 -0.0647\n", NULL};
    const char *const stores[] = {"dQ 0 0.4841 -0.1966\n", "D 0 1.2655\n",
                                  "dV 3 0.8336 0.7782\n", NULL};

    check_trace(main_of_first, "--backward --trace", both);
    check_trace(second, "--backward --trace", both);
    check_trace(second, "--backward --trace", stores);
}

/* --- Gradients of files --------------------------------------------------- */

/* A random layer, with q.npy, k.npy, v.npy and do.npy in the directory of the
 * test; the caller frees it. */
static backward_layer written_layer(random_sizes sizes)
{
    backward_layer b = {.forward = {.Q_name = ""}};

    assert_int_equal(arrays_random(&b.forward, &sizes), 0);
    assert_int_equal(backward_arrays(&b, NULL), 0);
    assert_int_equal(
        npy_write("q.npy", &b.forward.Q) || npy_write("k.npy", &b.forward.K) ||
            npy_write("v.npy", &b.forward.V) || npy_write("do.npy", &b.dO),
        0);
    return b;
}

static const random_sizes grouped = {2, 4, 2, 13, 21, 6, 4, 5};

#define FILES   "--backward --q q.npy --k k.npy --v v.npy --grad-out do.npy"
#define OUTPUTS " --grad-q dq.npy --grad-k dk.npy --grad-v dv.npy"

/* What the step writes, beside float64. */
static void check_step(const char *step, const char *options, backward_layer *b,
                       const attention_truth *truth)
{
    gradient_errors e;
    char line[300];

    snprintf(line, sizeof line, FILES OUTPUTS " --step %s %s", step, options);
    printed_by(second, line);
    npy_free(&b->dQ);
    npy_free(&b->dK);
    npy_free(&b->dV);
    assert_int_equal(npy_read("dq.npy", &b->dQ) || npy_read("dk.npy", &b->dK) ||
                         npy_read("dv.npy", &b->dV),
                     0);
    e = gradient_errors_of(b, truth);
    if (!(worst_gradient_error(e) <= 3e-6))
        fail_msg("./run %s: errors of dQ %g, dK %g, dV %g", line, e.dQ, e.dK,
                 e.dV);
}

IN_DIRECTORY(gradients_of_files_are_right_by_any_step)
{
    const struct {
        random_sizes of;
        const char *options;
        float softcap;
        bool causal;
        long offset;
    } rows[] = {
        {grouped, "", 0, false, 0},
        {grouped, "--causal --softcap 2", 2, true, 21 - 13},
        {grouped, "--causal-offset -3", 0, true, -3},
        /* no query, or no key: zeros, written */
        {{1, 2, 1, 0, 5, 3, 2, 1}, "", 0, false, 0},
        {{1, 2, 1, 5, 0, 3, 2, 1}, "", 0, false, 0},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        backward_layer b = written_layer(rows[k].of);
        head *h = &b.forward.layer.each;
        attention_truth truth;

        h->rule.softcap = rows[k].softcap;
        h->rule.causal = rows[k].causal;
        h->rule.offset = rows[k].offset;
        assert_int_equal(gradient_truth_of(&b, &truth), 0);
        for (const attention_step *s = chapter_05_backward; s->name; s++)
            check_step(s->name, rows[k].options, &b, &truth);
        for (const attention_step *s = chapter_06_backward; s->name; s++)
            check_step(s->name, rows[k].options, &b, &truth);
        truth_free(&truth);
        backward_free(&b);
    }
}

/* --- What is printed, and refused ------------------------------------------ */

/* Any of the outputs, by the reading step if none is named; or none at all. Where
 * no query sees a key, a large problem takes no time. */
#define STEP "--backward --step flash1_backward --d 64 "
IN_DIRECTORY(each_line_prints_what_it_must_and_nothing_else)
{
    const struct {
        const char *line, *printed, *not_printed;
    } rows[] = {
        {FILES, "\nflash1_backward ", "wrote"},
        {FILES, "\nnext: ./run --backward --help\n", "wrote"},
        {FILES " --grad-k dk.npy", "\ntwo_kernel_backward ", "flash1_"},
        {FILES " --grad-k dk.npy", "\nwrote dk.npy (2, 2, 21, 6)\n", "dq"},
        {STEP "--n 4096 --causal-offset -4096", "\nflash1_backward ", "NaN"},
        {STEP "--n 20000 --causal-offset -20000", "No error is known", "NaN"},
        {STEP "--n 20000 --causal-offset -20000", "   -  ", "NaN"},
        {"--backward --csv --n 20 --d 6 --step flash2_backward",
         "step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,mask,formula,"
         "onchip,extra,forward,products,exps,divisions,dQ,dK,dV,ms\n"
         "flash2_backward,1,1,20,20,6,6,6,195,8192,880,380,120,0,1260,588,20,"
         "500,5,400,0,",
         "two_kernel"},
        {"--backward --csv --sweep n --n 128 --d 5", "_simd,1,1,128,128,5,5,,,",
         ",256,"},
        {"--backward --csv --sweep d --d 16 --n 20 --heads 2 --kv-heads 1",
         "\nflash2_backward,1,2,20,20,16,16,16,73,8192,5200,", ",32,"},
        {"--backward --csv --sweep sram --sram 512 --n 40 --d 6",
         "\nflash2_backward,1,1,40,40,6,6,6,12,512,4160,1480,", ",1024,"},
        {"--backward --list",
         "flash2_backward\tfp32\tL in place of m, l; D made once\n", "lazy"},
        {"--list", "\nlazy_rescale\t", "\nflash1\t"},
        {"--n 9 --d 4", "\nflash2 ", "lazy_rescale"},
        {"--n 9 --d 4 --csv", "\nflash2,", "lazy_rescale"},
        {"--n 9 --d 4 --step lazy_rescale", "\nlazy_rescale ", "flash2"},
        {"--n 9 --d 4 --step lazy_rescale --csv", "\nlazy_rescale,", "flash2"},
    };
    backward_layer b = written_layer(grouped);

    backward_free(&b);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *printed = printed_by(second, rows[k].line);

        if (!strstr(printed, rows[k].printed) ||
            strstr(printed, rows[k].not_printed))
            fail_msg("./run %s: want \"%s\" and no \"%s\", got\n%s",
                     rows[k].line, rows[k].printed, rows[k].not_printed,
                     printed);
    }
}

/* And what the way forward refuses (common/tests/test_attention_program.c). */
IN_DIRECTORY(what_does_not_go_together_is_refused)
{
    const command rows[] = {
        {"--backward --q q.npy --k k.npy --v v.npy --grad-out k.npy "
         "--grad-q dq.npy",
         2, "k.npy", "the shape is (2, 2, 21, 6) ("},
        {"--backward --csv --grad-v dv.npy", 2, "--csv", "not together"},
        {"--backward --step backward_simd --sram 999", 2, "--sram",
         "counts no traffic"},
        {"--backward --step backward_simd --br 4 --bc 4", 2, "--bc",
         "no tiles"},
        {"--backward --step flash2", 2, "--step", "flash2"},
        {"--backward --lse L.npy", 2, "--lse", "no such option"},
        {"--grad-q dq.npy", 2, "--grad-q", "no such option"},
        {"--backward --csv --sweep br", 2, "--sweep", "(one of: n d sram)"},
        {"--backward --csv --sweep sram --sram 9", 2, "--sweep",
         "sram begins at"},
        {FILES " --grad-q q.npy", 2, "--grad-q", "q.npy is --q's file"},
        {"--backward --n 9 --d 8 --sram 20", 2, "--sram",
         "memory of 20 elements is too small"},
        {"--n 9 --d 6 --dv 5 --step mla --sram 16", 2, "--sram", "least 17)"},
        {"--n 9 --d 6 --dv 5 --step mla --sram 17", 2, "mla", "V is not"},
    };
    const command alone[] = {
        {"--backward", 2, "--backward", "no such option (allowed"}};
    backward_layer b = written_layer(grouped);

    backward_free(&b);
    CHECK_COMMANDS(second, rows);
    CHECK_COMMANDS(tiled, alone);
}

#define SHORT "--n 9 --d 6 --dv 5 --step "

IN_DIRECTORY(a_refusal_of_M_names_the_smallest)
{
    static const struct {
        const char *step;
        size_t M;
    } rows[] = {
        {SHORT "flash2", 22},
        {SHORT "flash2_parallel", 22},
        {SHORT "split_kv", 22},
        {"--backward " SHORT "flash2_backward", 39},
        {"--backward " SHORT "two_kernel_backward", 33},
        {"--backward " SHORT "flash2_backward_parallel", 33},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t M = 1; M <= rows[k].M; M++) {
            char line[200], reason[60];
            bool enough = M == rows[k].M;

            snprintf(line, sizeof line, "%s --sram %zu", rows[k].step, M);
            snprintf(reason, sizeof reason, "(allowed: at least %zu)",
                     rows[k].M);
            check_commands(second,
                           &(command){line, enough ? 0 : 2,
                                      enough ? NULL : "--sram",
                                      enough ? NULL : reason},
                           1);
        }
}

/* --- Somebody's output ------------------------------------------------------ */

#define ONE  "--n 37 --nk 50 --d 16 --seed 3 "
#define BACK "--backward " ONE

/* Mistakes that a flag makes (all of them: common/tests/test_suspects.c). */
IN_DIRECTORY(somebodys_output_is_judged)
{
    const struct {
        const char *made;
        command judged;
    } rows[] = {
        {ONE "--causal --out O.npy --lse L.npy",
         {ONE "--causal --judge O.npy --judge-lse L.npy", 0, NULL,
          "Heads that are wrong: 0 of 1; "}},
        {ONE "--causal --out O.npy --lse L.npy",
         {ONE "--judge O.npy --judge-lse L.npy", 1, NULL,
          "\nsuspect: causal-forgotten\n"}},
        {ONE "--scale 1 --out O.npy",
         {ONE "--judge O.npy", 1, NULL, "\nsuspect: unscaled\n"}},
        {ONE "--causal-offset 0 --out O.npy",
         {ONE "--causal --judge O.npy", 1, NULL, "\nsuspect: causal-corner\n"}},
        {ONE "--causal-offset 14 --out O.npy",
         {ONE "--causal --judge O.npy", 1, NULL,
          "\nsuspect: mask-off-by-one\n"}},
        {ONE "--window 9 --out O.npy",
         {ONE "--window 8 --judge O.npy", 1, NULL,
          "\nsuspect: mask-off-by-one\n"}},
        {ONE "--scale -1e8 --out O.npy",
         {ONE "--scale 1e8 --judge O.npy", 1, NULL, "suspect: none\n"}},
        {ONE "--out O.npy --lse L.npy",
         {ONE "--judge L.npy", 2, "L.npy", "(1, 1, 37, 16) is needed"}},
        {BACK "--grad-q dQ.npy --grad-v dV.npy",
         {BACK "--judge-q dQ.npy --judge-v dV.npy", 0, NULL, "dV: the error"}},
        {BACK "--scale 1 --grad-q dQ.npy",
         {BACK "--judge-q dQ.npy", 1, NULL,
          ": wrong\n  first wrong row: 0 of batch 0, head 0\n"}},
        {BACK "--causal --grad-q dQ.npy --grad-v dV.npy",
         {BACK "--judge-q dQ.npy --judge-v dV.npy", 1, NULL,
          "\nsuspect: causal-forgotten\n"}},
        {BACK "--scale 1.01 --grad-v dV.npy",
         {BACK "--scale 1 --judge-v dV.npy --judge-error 0.3", 0, NULL,
          ": right\n"}},
        {BACK "--scale 30 --grad-q dQ.npy --grad-k dK.npy",
         {BACK "--scale 30 --judge-q dQ.npy --judge-k dK.npy", 0, NULL,
          ": right\n"}},
        {ONE "--out O.npy",
         {ONE "--judge O.npy --out P.npy", 2, "--out", "with --judge"}},
        {ONE "--out O.npy",
         {ONE "--judge-lse O.npy", 2, "--judge-lse", "only with --judge"}},
        {ONE "--out O.npy",
         {ONE "--judge-error 1", 2, "--judge-error", "only with --judge"}},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        printed_by(second, rows[k].made);
        check_commands(second, &rows[k].judged, 1);
    }
}

/* The first element of the row becomes x, in a file of so many rows. */
static void spoil_row(const char *file, size_t rows, size_t row, float x)
{
    npy_array a;

    assert_int_equal(npy_read(file, &a), 0);
    a.data[row * (a.size / rows)] = x;
    assert_int_equal(npy_write(file, &a), 0);
    npy_free(&a);
}

/* Row 9 of head 1; later rows of O and L are wrong, too. */
IN_DIRECTORY(the_first_wrong_row_of_O_L_or_a_gradient_is_named)
{
#define TWO  ONE "--heads 2 "
#define BOTH TWO "--judge O.npy --judge-lse L.npy"
    const struct {
        const char *spoilt, *line, *says;
    } rows[] = {
        {"L.npy", BOTH, " 9    0 of 64\n"},
        {"O.npy", BOTH, " 9    0 of 64\n"},
        {"dQ.npy", "--backward " TWO "--judge-q dQ.npy",
         "first wrong row: 9 of batch 0, head 1\n"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        command c = {rows[k].line, 1, NULL, rows[k].says};

        printed_by(second, TWO "--out O.npy --lse L.npy");
        printed_by(second, "--backward " TWO "--grad-q dQ.npy");
        spoil_row(rows[k].spoilt, 74, 37 + 9, 50);
        check_commands(second, &c, 1);
        spoil_row("O.npy", 74, 37 + 30, 50);
        spoil_row("L.npy", 74, 37 + 31, 50);
        check_commands(second, &c, 1);
    }
}

/* With one key dQ is 0, but for rounding. */
IN_DIRECTORY(rounding_in_a_gradient_of_0_is_right)
{
#define ALONE "--backward --n 5 --nk 1 --d 16 "
    const command right = {ALONE "--judge-q dQ.npy", 0, NULL, ": right\n"};
    const command wrong = {ALONE "--judge-q dQ.npy", 1, NULL, "e-0"};

    printed_by(second, ALONE "--grad-q dQ.npy");
    spoil_row("dQ.npy", 5, 2, 1e-7f);
    check_commands(second, &right, 1);
    spoil_row("dQ.npy", 5, 2, 1e-3f);
    check_commands(second, &wrong, 1);
}
