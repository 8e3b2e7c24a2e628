/*
 * Tests the commands of `flash`. If an argument is a shape, such as 2x3x7x8,
 * check_rows first writes a file of that name with an array of that shape.
 */
#include "tools/flash/commands.h"
#include "common/data/random.h"
#include "common/judge/reference.h"
#include "common/judge/reference_attention.h"
#include "common/testing/assert_close.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* --- Arrays --------------------------------------------------------------- */

static void check_rows(program_fn *program, const command rows[], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        char line[400];

        snprintf(line, sizeof line, "%s", rows[k].line);
        for (char *w = strtok(line, " "); w; w = strtok(NULL, " "))
            if (strspn(w, "0123456789x") == strlen(w) && strchr(w, 'x'))
                put_numbers(w, w, NULL);
        check_commands(program, &rows[k], 1);
    }
}
#define CHECK(program, rows)                                                   \
    check_rows(program, rows, sizeof(rows) / sizeof *(rows))

static npy_array get_array(const char *path)
{
    npy_array a;

    assert_int_equal(npy_read(path, &a), 0);
    return a;
}

/* --- flash softmax -------------------------------------------------------- */

IN_DIRECTORY(softmax_is_over_the_last_axis_of_any_shape)
{
    static const char *const rows[][2] = {
        {"5", ": 1 row of 5 scores, each read 2 times and written once\ntime"},
        {"11x100x7", "merged_softmax: 1,100 rows of 7 scores, each read 2 "},
        {"2x3x1x4", "\nwrote l (2, 3, 1)\n"},
        {"1x2x1x2x1x2x1x2", "\nwrote y (1, 2, 1, 2, 1, 2, 1, 2)\n"},
        {"0x7", ": shape (0, 7) has no scores, nothing to compute\nwrote y "},
        {"2x0x7", "(2, 0, 7) has no"},
        {"0", "(0,) has no scores, nothing to compute\nwrote y (0,)\nwrote "},
        {"2x3x0", "(2, 3, 0) has no"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const command c = {"--in x --out y --lse l", 0, NULL, rows[k][1]};
        npy_array x, y, l;
        double want[64], L;
        size_t n;

        put_numbers("x", rows[k][0], NULL);
        check_commands(softmax_command, &c, 1);
        x = get_array("x");
        y = get_array("y");
        l = get_array("l");
        n = x.shape[x.dims - 1];
        assert_true(y.dims == x.dims && l.dims == x.dims - 1);
        assert_memory_equal(y.shape, x.shape, sizeof x.shape);
        assert_memory_equal(l.shape, x.shape, l.dims * sizeof *x.shape);
        for (size_t i = 0; i < l.size; i++) {
            reference_softmax(x.data + i * n, want, n, &L);
            assert_all_close(y.data + i * n, want, n, 2e-7);
            assert_close(l.data[i], L, 1e-5);
        }
        npy_free(&x);
        npy_free(&y);
        npy_free(&l);
    }
}

IN_DIRECTORY(softmax_runs_in_blocks)
{
    listed_step list[MOST_LISTED];
    const softmax_step *merged = list[softmax_steps(list) - 1].softmax;
    float x[64], want[64], L;
    npy_array y;

    for (size_t i = 0; i < 64; i++)
        x[i] = 10 * sinf((float)i);
    put_numbers("x", "64", x);
    softmax_rows(merged, 8, x, want, &L, 1, 64);
    printed_by(softmax_command, "--in x --out y --block 8");
    y = get_array("y");
    assert_memory_equal(y.data, want, sizeof want);
    npy_free(&y);
}

IN_DIRECTORY(softmax_prints_and_refuses)
{
    const command rows[] = {
        {"--in x --step naive_softmax", 0, NULL, "naive_softmax: 1 row of 2 s"},
        {"--in x --step naive_softmax", 0, NULL, "rows lost: 1; the worst"},
        {"--in x", 0, NULL, "rows lost: 0; the worst row's error against f"},
        {"--in x --no-error --step safe_softmax", 0, NULL, "read 3 times"},
        {"--in x --block 0", 2, "--block: '0' is not a whole number from 1 to"},
        {"--in x --block 3 --step safe_softmax", 2, "--block: ...only merged_"},
        {"--in x --step none", 2, "--step: 'none' is not allowed (allowed: na"},
        {"--out y", 2, "--in: is missing (the array to read)"},
        {"--in x --lse l", 2, "--lse: only with --out"},
        {"--in x --out ./x", 2, "--out: ./x is --in's file (another is needed"},
        {"--in x --out soft", 2, "--out: soft is --in's file"},
        {"--in x --out hard", 2, "--out: hard is --in's file"},
        {"--in x --out y --lse x", 2, "--lse: x is --in's file"},
        {"--in x --out y --lse ./y", 2, "--lse: ./y is --out's file"},
        {"--in x --out y --lse here/y", 2, "--lse: here/y is --out's file"},
        {"--in x --out y --lse none/l", 1, "none/l: cannot write"},
        {"--in x --out none/y --lse l", 1, "none/y: cannot write"},
        {"--in x --out .", 1, ".: cannot write: it is not a regular file"},
        {"--in x --out y --lse /dev/full", 1, "/dev/full: cannot write: it is"},
        {"--in none --out none/y", 1, "none/y: cannot write"},
        {"--in none --out old", 1, "none: cannot open"},
        {"--in text --out y", 1, "text: "},
        {"--in number --out y", 2, "number: shape () has no last axis (1 to 8"},
        {"--in 64x64 --out y", 1, "y: cannot write",
         "time"}, /* The disk is full. */
        {"--in x --out y --lse l", 0, NULL, "\nwrote y (2,)\nwrote l ()\n"},
    };
    const command second = {"--n 4096 --nk 1 --d 1 --dv 0 --out O --lse L", 1,
                            "L: cannot write", "4,096 queries"};
    const char *time;

    put_numbers("64x64", "64x64", NULL);
    put_numbers("x", "2", (const float[]){100, 0});
    put_numbers("number", "", NULL);
    put_file("text", "no array", 8);
    put_file("old", "old", 3);
    assert_true(!symlink("x", "soft") && !link("x", "hard") &&
                !symlink(".", "here"));
    fill_disk(10000);
    CHECK_COMMANDS(softmax_command, rows);
    check_commands(attention_command, &second, 1);
    empty_disk();
    time = strstr(printed_by(softmax_command, "--in x"), "\ntime ");
    assert_true(time && !strstr(time, " s\n")); /* less than a second */
    assert_file_is("old", "old");
    needs_64_bits(); /* 2^40 rows without scores take no time */
    put_numbers("x", "1048576x1048576x1x0", NULL);
    assert_true(strstr(printed_by(softmax_command, "--in x"), "has no scores"));
}

/* --- Results of attention and backward ------------------------------------ */

#define QKV "--q q --k k --v v "

/* The caller frees the problem. */
static backward_problem written(problem_sizes sizes)
{
    backward_problem b = {.known = 0};
    const problem *p = &b.forward;

    assert_int_equal(problem_random(&b.forward, &sizes), 0);
    assert_int_equal(backward_problem_set_up(&b), 0);
    assert_false(npy_write("q", &p->Q) || npy_write("k", &p->K) ||
                 npy_write("v", &p->V) || npy_write("do", &b.dO));
    return b;
}

static void check_forward(const problem *p, const char *options,
                          const char *step)
{
    const layer *l = &p->layer;
    double O[64], L[16];
    size_t Nq = l->each.Nq, n = Nq * l->each.dv;
    char line[300];
    npy_array got, got_L;

    snprintf(line, sizeof line, QKV "--out O --lse L %s --step %s", options,
             step);
    printed_by(attention_command, line);
    got = get_array("O");
    got_L = get_array("L");
    assert_true(n <= 64 && got.size == heads_of(l) * n && Nq <= 16);
    for (size_t nth = 0; nth < heads_of(l); nth++) {
        head h = head_at(l, nth);

        assert_int_equal(reference_attention(&h, O, L), 0);
        reference_add_sink(sink_of(p, nth), Nq, h.dv, O, L);
        assert_all_close(got.data + nth * n, O, n, 5e-6);
        assert_all_close(got_L.data + nth * Nq, L, Nq, 5e-6);
    }
    npy_free(&got);
    npy_free(&got_L);
}

static void check_backward(backward_problem *b, const char *options,
                           const char *step)
{
    gradient_errors e;
    char line[300];

    snprintf(line, sizeof line,
             QKV "--grad-out do --grad-q dq --grad-k dk --grad-v dv %s "
                 "--step %s",
             options, step);
    printed_by(backward_command, line);
    npy_free(&b->dQ);
    npy_free(&b->dK);
    npy_free(&b->dV);
    b->dQ = get_array("dq");
    b->dK = get_array("dk");
    b->dV = get_array("dv");
    e = problem_gradient_errors(b);
    if (!(worst_gradient_error(e) <= 3e-6))
        fail_msg("%s: errors of dQ %g, dK %g, dV %g", line, e.dQ, e.dK, e.dV);
}

IN_DIRECTORY(every_step_is_right_on_files)
{
    static const problem_sizes grouped = {2, 6, 3, 13, 21, 6, 4, 5};
    float masks[2 * 6 * 13 * 21], sinks[] = {1, -1, 0.5f, 2, 0, -3};
    float halves[] = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    const struct {
        problem_sizes of;
        const char *options;
        float scale; /* 0: the default, 1 / sqrt(d) */
        rule rule;
        bool alibi;
        const float *sinks;
    } rows[] = {
        {grouped, ""},
        {grouped, "--causal --softcap 2",
         .rule = {.causal = true, .offset = 8, .softcap = 2}},
        {grouped, "--causal-offset -3", .rule = {.causal = true, .offset = -3}},
        {grouped, "--sink s --mask m --window 9",
         .rule = {.mask = hbm_of(masks, 13, 21), .offset = 8, .window = 9},
         .sinks = sinks},
        {grouped, "--sink 0.5", .rule = {.offset = 8}, .sinks = halves},
        {grouped, "--scale -0.75 --alibi", -0.75f, {.offset = 8}, true},
        {{1, 2, 1, 0, 5, 3, 2, 1}, ""},
        {{1, 2, 1, 5, 0, 3, 2, 1}, ""},
    };

    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++)
        masks[i] = i % 5 == 0 ? -INFINITY : sinf((float)i);
    put_numbers("m", "2x6x13x21", masks);
    put_numbers("s", "6", sinks);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        backward_problem b = written(rows[k].of);
        layer *l = &b.forward.layer;
        listed_step list[MOST_LISTED];
        size_t n = forward_steps(list, FP32);

        b.forward.sinks = rows[k].sinks;
        l->mask_B = 2;
        l->mask_H = 6;
        l->alibi = rows[k].alibi;
        l->each.rule = rows[k].rule;
        l->each.scale = rows[k].scale != 0 ? rows[k].scale : l->each.scale;
        for (size_t s = 0; s < n; s++)
            if (strcmp(list[s].name, "mla") != 0 && /* V is part of K */
                list[s].step->type == FP32)
                check_forward(&b.forward, rows[k].options, list[s].name);
        n = backward_steps(list);
        for (size_t s = 0; s < n; s++)
            check_backward(&b, rows[k].options, list[s].name);
        backward_free(&b);
    }
}

#define BLOCKS "--block-mask b --block-size 7 "

IN_DIRECTORY(a_block_mask_is_a_mask_of_blocks)
{
    static const float blocks[] = {1, 0, 1, 1, 0, 1};
    const problem_sizes sizes = {1, 2, 1, 13, 21, 6, 2, 5};
    const command forward[] = {
        {QKV BLOCKS "--step flash1", 2,
         "--block-mask: flash1 does not support it (flash attention --step "
         "flash2_block_mask does)"},
        {QKV BLOCKS, 0, NULL, "step: flash2_block_mask"},
    };
    const command judged[] = {
        {"O --lse L --mask m " QKV BLOCKS, 0, NULL, "wrong: 0 of 2; "}};
    const command backward[] = {
        {QKV BLOCKS "--step flash1_backward", 2,
         "--block-mask: flash1_backward does not support it"}};
    backward_problem b = written(sizes);
    layer *l = &b.forward.layer;
    float mask[13 * 21], joined[13 * 21];

    for (size_t i = 0; i < 13 * 21; i++)
        mask[i] = i % 5 == 0 ? -INFINITY : sinf((float)i);
    put_numbers("m", "13x21", mask);
    put_numbers("b", "2x3", blocks);
    l->mask_B = l->mask_H = 1;
    l->each.rule.mask = hbm_of(joined, 13, 21);
    for (int masked = 0; masked < 2; masked++) {
        for (size_t i = 0; i < 13; i++)
            for (size_t j = 0; j < 21; j++)
                joined[i * 21 + j] = blocks[i / 7 * 3 + j / 7] == 0 ? -INFINITY
                                     : masked ? mask[i * 21 + j]
                                              : 0;
        check_forward(&b.forward, masked ? BLOCKS "--mask m" : BLOCKS,
                      "flash2_block_mask");
    }
    CHECK_COMMANDS(attention_command, forward);
    CHECK_COMMANDS(judge_command, judged);
    CHECK_COMMANDS(backward_command, backward);
    backward_free(&b);
}

/* --- flash attention ------------------------------------------------------ */

IN_DIRECTORY(options_are_read_in_full_and_once)
{
    const command rows[] = {
        {"--n 3 --causal-offset=+3", 0, NULL, "causal, offset 3; M = 8,192"},
        {"--n=3 --d=2 --sram=64", 0, NULL, "3 keys, d = 2; M = 64 elements"},
        {"--n 3 --out=odd=name", 0, NULL, "wrote odd=name ("},
        {"--n -5", 2, "--n: '-5' is not a whole number from 0 to 1844"},
        {"--sram 0", 2, "--sram: '0' is not a whole number from 1 to"},
        {"--causal-offset 1.5", 2, "--causal-offset: '1.5' is not a whole num"},
        {"--scale 1e39", 2, "--scale: '1e39' is not a number finite in fp32 ("},
        {"--step flash", 2, "--step: 'flash' is not allowed (allowed: standar"},
        {"--st flash1", 2, "--st: no such option (allowed: --q --k --v --mask"},
        {"--he", 2, "--he: no such option (allowed:"},
        {"--help=3", 2, "--help: no such option (allowed:"},
        {"-h=3", 2, "-h: no such option (allowed:"},
        {"-x", 2, "-x: no such option (allowed:"},
        {"--out", 2, "--out: no value (expected: --out O.npy)"},
        {"--out --n 3", 2, "--out: no value"},
        {"--out=", 2, "--out: no value"},
        {"--causal-offset --5", 2, "--causal-offset: no value"},
        {"--causal=yes", 2, "--causal: takes no value"},
        {"--n 3 --n 3", 2, "--n: given twice (once is allowed)"},
        {"--causal --causal", 2, "--causal: given twice"},
        {"x.npy", 2, "'x.npy': not an option (options begin with --; se"},
        {"''", 2, "'': not an option"},
        {"-", 2, "'-': not an option"},
        {"-- --causal", 2, "'--': not an option"},
        {"x\033[2J", 2, "'x\\x1b[2J': not an option"},
        {"-h", 0, NULL, "\noptions:\n  --q Q.npy "},
        {"--out x --help --nonsense", 0, NULL, "and its logsumexp L, by any"},
        {"--help", 0, NULL, "the step (default: the fastest):\n"},
        {"--help", 0, NULL, "        flash1\n"},
        {"--help", 0, NULL, "this text\n\nexamples:\n  ./flash attention --q"},
    };
    program_fn *const all[] = {softmax_command, attention_command,
                               backward_command, judge_command, sweep_command};

    CHECK(attention_command, rows);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        printed_by(all[k], "--help");
}

#define FILES   "--q 5x8 --k 7x8 --v 7x3 "
#define GROUPED "--q 2x6x5x8 --k 2x3x7x8 --v 2x3x7x8 "
#define BOTH    "--out O --lse L "

IN_DIRECTORY(attention_accepts_valid_problems)
{
    const command rows[] = {
        {BOTH FILES, 0, NULL, "\nwrote O (5, 3)\nwrote L (5,)\n"},
        {BOTH "--q 6x5x8 --k 2x7x8 --v 2x7x3", 0, NULL, "O (6, 5, 3)\nwrote L"},
        {BOTH "--q 0x3x5x8 --k 0x3x7x8 --v 0x3x7x2", 0, NULL, "O (0, 3, 5, 2)"},
        {BOTH "--q 2x0x5x8 --k 2x3x7x8 --v 2x3x7x8", 0, NULL, "L (2, 0, 5)"},
        {BOTH "--q 0x8 --k 7x8 --v 7x3", 0, NULL, "O (0, 3)\nwrote L (0,)"},
        {BOTH "--q 5x8 --k 7x8 --v 7x0", 0, NULL, "O (5, 0)\nwrote L (5,)"},
        {BOTH "--n 5 --nk 0 --dv 0", 0, NULL, "O (1, 1, 5, 0)\nwrote L (1, 1,"},
        {BOTH "--n 0 --batch 0 --heads 0 --kv-heads 0", 0, NULL, "O (0, 0, 0,"},
        {GROUPED, 0},
        {GROUPED "--mask 5x7", 0},
        {GROUPED "--mask 6x5x7", 0},
        {GROUPED "--mask 2x1x5x7", 0},
        {GROUPED "--mask 1x6x5x7", 0},
        {"--n 5 --d 8 --sram 32 --step flash2", 0},
        {"--n 5", 0, NULL, "step: split_kv_simd (--step NAME chooses another;"},
        {"--n 17", 0, NULL,
         "step: flash2_simd (--step NAME chooses another; flash steps lists "
         "them)\n1 head, 17 queries"},
        {"--n 17 --batch 2", 0, NULL, "them)\nbatch of 2, 1 head, 17 quer"},
        {"--n 5 --sink 0.5", 0, NULL, "\n\nWith a sink for each query head."},
        {"--n 17 --sram 999", 0, NULL, "step: flash2_parallel ("},
        {"--n 17 --step flash1", 0, NULL, "Tiles, Br x Bc: flash1 32 x 64.\n"},
        {"--n 17 --step flash1 --br 2 --bc 3", 0, NULL, "flash1 2 x 3.\n"},
        {"--n 5 --bc 4 --step tiled_attention", 0, NULL, "_attention 1 x 4.\n"},
        {"--n 17 --step flash1 --no-error", 0, NULL, "   -  "},
        {"--n 17 --step flash1", 0, NULL, "\nnext: ./flash attention --help\n"},
        {FILES "--out O", 0, NULL, "\nnext: ./flash judge --help\n"},
        /* (B, N, H, d) arrays are read as N heads of H keys. */
        {"--q 1x9x4x8 --k 1x9x4x8 --v 1x9x4x8", 0, NULL, "K has more heads th"},
    };
    const command with_model[] = {
        {"--n 17 --type bf16", 0, NULL, "step: flash2_amx ("},
        {"--n 17 --type bf16 --softcap 3", 0, NULL, "step: flash2_simd ("},
        {FILES "--type bf16 --step flash2_amx", 0, NULL,
         "Q, K, V: bf16; 0 of 117 numbers were rounded to it\n"},
        {"--q 9x8 --k 7x8 --v 7x11 --type bf16 --step flash2_amx", 0, NULL,
         "bf16; 0 of 205 numbers"},
    };
    const command unbounded[] = {
        {"--n 5 --sram 18446744073709551615", 0, NULL, "; M unbounded\n"}};
    const command few_heads = {"--q 1x9x1x8 --k 1x9x9x8 --v 1x9x9x8", 0};

    CHECK(attention_command, rows);
    setenv("FLASH2_TILES", "model", 1);
    CHECK(attention_command, with_model);
    unsetenv("FLASH2_TILES");
    check_rows(attention_command, &few_heads, 1);
    assert_null(strstr(printed_by(attention_command, few_heads.line), "swap"));
    needs_64_bits();
    CHECK(attention_command, unbounded);
    printed_by(attention_command,
               "--batch 2 --heads 12 --kv-heads 3 --n 9 --nk 10 --d 4 --dv 5 "
               "--causal-offset -1099511627776 --window 9 --sram 1000000");
}

IN_DIRECTORY(numbers_that_overflow_in_16_bits_are_counted)
{
    static const float large[] = {70000, 65519, -65520, INFINITY, NAN, 3.4e38f};
    const command forward[] = {
        {QKV "--kv-type fp16", 0,
         "--kv-type: 4 of 8 numbers are too large for fp16 and became infinite",
         "K, V: fp16; 5 of 8 numbers were rounded to it\n"},
        {QKV "--kv-type bf16", 0,
         "--kv-type: 1 of 8 numbers are too large for bf16",
         "K, V: bf16; 5 of 8 "},
        {QKV "--type fp16", 0, "--type: 4 of 10 numbers", "Q, K, V: fp16"},
        {"--q q --k q --v q --kv-type fp16", 0, NULL, "K, V: fp16; 0 of 4 "},
    };
    const command judged = {QKV "--o q --kv-type fp16", 1,
                            "--kv-type: 4 of 8 numbers", "1 of 1"};

    put_numbers("q", "1x2", NULL);
    put_numbers("v", "2x2", large);
    put_numbers("k", "2x2", large + 2);
    CHECK_COMMANDS(attention_command, forward);
    check_commands(judge_command, &judged, 1);
}

IN_DIRECTORY(attention_refuses_invalid_problems)
{
    const command rows[] = {
        {"--q 2x6x5x8 --k 2x4x7x8 --v 2x4x7x8", 2,
         "2x4x7x8: shape (2, 4, 7, 8) does not fit 2x6x5x8 (2, 6, 5, 8) (Hq "
         "must be a multiple of Hk; if the arrays are (B, N, H, d), swap axes "
         "1 and 2)"},
        {"--q 2x6x5x8 --k 2x0x7x8 --v 2x0x7x8", 2, "2x0x7x8: ...(Hq must be a"},
        {"--q 5x0 --k 7x0 --v 7x3", 2, "5x0: ...dimension, d, must be at leas"},
        {"--q 5x8 --k 7x8 --v 1x1x1x7x3", 2, "1x1x1x7x3: ... (2, 3 or 4 dimen"},
        {"--q 1x5x8 --k 7x8 --v 7x3", 2, "7x8: ... (Q, K and V need the same"},
        {"--q 5x8 --k 7x9 --v 7x3", 2, "7x9: ...last dimension, d, must be eq"},
        {"--q 5x8 --k 7x8 --v 6x3", 2, "6x3: ... 7x8 (7, 8) (the number of ro"},
        {"--q 2x6x5x8 --k 3x6x7x8 --v 2x6x7x3", 2, "3x6x7x8: ... (the first d"},
        {"--q 2x6x5x8 --k 2x6x7x8 --v 1x6x7x3", 2, "1x6x7x3: ... (the first d"},
        {"--q 2x6x5x8 --k 2x3x7x8 --v 2x6x7x3", 2, "2x6x7x3: ... (K and V nee"},
        {GROUPED "--mask 1x1x1x5x7", 2, "1x1x1x5x7: ... (2, 3 or 4 dimensions"},
        {GROUPED "--mask 1x7", 2, "1x7: ... 2x6x5x8 (2, 6, 5, 8) (a mask must"},
        {GROUPED "--mask 5x1", 2, "5x1: ...2x3x7x8 (2, 3, 7, 8) (a mask must "},
        {GROUPED "--mask 2x5x7", 2, "2x5x7: ... (leading dimensions of a mask"},
        {GROUPED "--mask 3x6x5x7", 2, "3x6x5x7: ... (leading dimensions of a "},
        {"--n 5 --mask 5x6", 2, "5x6: shape (5, 6) does not fit K (1, 1, 5, 3"},
        {"--n 5 --sink 5x6", 2, "5x6: shape (5, 6) (sinks need the"},
        {"--n 9 --block-mask 5x6 --block-size 2", 2, "5x6: ... need (5, 5))"},
        {"--n 9 --nk 11 --block-mask 5x6 --block-size 2", 2, "5x6: -1 for blo"},
        {"--heads 6 --kv-heads 4", 2, "--kv-heads: 6 query heads cannot share"},
        {"--n 5 --d 8 --sram 31 --step flash1", 2, "--sram: ...at least 32)"},
        {"--n 9 --d 6 --dv 5 --step mla --sram 16", 2, "--sram: ...least 17)"},
        {"--n 9 --d 6 --dv 5 --step mla --sram 17", 2, "mla: V is not"},
        {"", 1, "common/data/q.npy: not found from here (run this program in"},
        {"--q 5x8 --k 7x8 --v text --out O", 1, "text: "},
        {"--q 5x8 --k none --v 7x3 --out O", 1, "none: cannot open"},
        {FILES "--mask none --out O", 1, "none: cannot open"},
        {FILES "--out O --lse none/L", 1, "none/L: cannot write"},
        {FILES "--out 5x8", 2, "--out: 5x8 is --q's file (another is needed)"},
        {FILES "--mask 5x7 --out 5x7", 2, "--out: 5x7 is --mask's file"},
        {FILES "--out O --lse 7x3", 2, "--lse: 7x3 is --v's file"},
        {FILES "--out L --lse ./L", 2, "--lse: ./L is --out's file"},
        /* The refusal comes before the computation, which would take an hour. */
        {"--n 1000000 --d 1 --step flash1 --out none/O", 1, "none/O: cannot w"},
        {"--q 5x8 --k 7x8 --out O", 2, "--v: is missing (--q, --k and --v go "},
        {FILES "--n 5 --out O", 2, "--n: not together with --q"},
        {FILES "--seed 5", 2, "--seed: not together with --q"},
        {FILES "--lse L", 2, "--lse: only with --out"},
        {"--n 9 --br 4", 2, "--br: only together with --bc"},
        {"--n 9 --bc 4", 2, "--bc: only together with --br"},
        {"--br 4 --bc 4 --sram 100", 2, "--bc: not together with --sram"},
        {"--step tiled_attention --n 9 --br 4 --bc 4", 2, "--br: ...one query"},
        {"--step standard_attention --n 9 --br 4 --bc 4", 2, "--br: ...no til"},
        {"--n 9 --step flash2_simd --sram 9", 2, "--sram: flash2_simd counts "},
        {"--causal --causal-offset 3", 2, "--causal: not together with --caus"},
        {"--softcap 0", 2, "--softcap: 0 is not above 0"},
        {"--n 5 --sink nan", 2, "--sink: 'nan' is neither a number finite in"},
        {"--n 5 --sink=\t3", 2, "--sink: '\\x093' is neither a number"},
        {"--n 5 --sink no.npy", 2, "--sink: 'no.npy' is neither ... nor a fil"},
        {"--block-size 4", 2, "--block-size: only with --block-mask"},
    };
    const command far[] = {
        {"--n 5 --alibi --causal-offset 3000000000000000000", 2, "--c...too f"},
        {"--n 4 --d 18446744073709551615", 2, "--d: 18446744073709551615 is t"},
        {"--n 0 --dv 18446744073709551615", 2, "--dv: 18446744073709551615 is"},
        {"--n 4294967296 --d 4294967296", 2, "--n: 4294967296 is too large (a"},
        {"--q 0x2305843009213693951 --k 0x2305843009213693951 --v 0x1", 2,
         "--d: 2305843009213693951 is too large ("},
        {"--batch 18446744073709551615", 2, "--batch: 18446744073709551615 is"},
        {"--heads 18446744073709551615", 2, "--heads: 18446744073709551615 is"},
        {"--heads 1152921504606846975 --n 2", 2, "--heads: 115292150460684"},
        {"--n 18446744073709551615 --nk 1", 2, "--n: 18446744073709551615 is"},
        {"--n 4 --d 72057594037927937", 2, "--d: 72057594037927937 is too lar"},
        {"--heads 0 --kv-heads 9223372036854775808", 2, "--kv-heads: 92233720"},
    };

    put_file("text", "no array", 8);
    CHECK(attention_command, rows);
    needs_64_bits();
    CHECK(attention_command, far);
}

/* rows[k].M is the smallest M that the step accepts. */
IN_DIRECTORY(a_refusal_of_M_names_the_smallest)
{
    static const struct {
        program_fn *program;
        const char *step;
        size_t M;
    } rows[] = {
        {attention_command, "flash2", 22},
        {attention_command, "flash2_parallel", 22},
        {attention_command, "split_kv", 22},
        {backward_command, "flash2_backward", 39},
        {backward_command, "two_kernel_backward", 33},
        {backward_command, "flash2_backward_parallel", 33},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (size_t M = 1; M <= rows[k].M; M++) {
            char line[100], error[60];
            command c = {line, 0};

            snprintf(line, sizeof line,
                     "--n 9 --d 6 --dv 5 --sram %zu --step %s", M,
                     rows[k].step);
            snprintf(error, sizeof error, "--sram: ...at least %zu)",
                     rows[k].M);
            if (M < rows[k].M)
                c = (command){line, 2, error};
            check_commands(rows[k].program, &c, 1);
        }
}

/* --- flash backward ------------------------------------------------------- */

#define LARGE "--step flash1_backward --d 64 "
IN_DIRECTORY(backward_prints_writes_and_refuses)
{
    const command rows[] = {
        {QKV, 0, NULL, "step: backward_simd ("},
        {QKV, 0, NULL, "4 heads (2 of K, V), 13 queries, 21 keys, "},
        {QKV, 0, NULL, "\nnext: ./flash backward --help\n"},
        {QKV "--grad-k dk", 0, NULL, "\nwrote dk (2, 2, 21, 6)\n"},
        {LARGE "--n 2048 --causal-offset -2048", 0, NULL, "\nflash1_backward "},
        {LARGE "--n 8192 --causal-offset -8192", 0, NULL, "No error is comp"},
        {QKV "--grad-out k --grad-q dq", 2, "k: the shape is (2, 2, 21, 6) (("},
        {QKV "--grad-out none --grad-q dq", 1, "none: cannot open"},
        {QKV "--grad-q q", 2, "--grad-q: q is --q's file"},
        {QKV "--grad-out do --grad-v do", 2, "--grad-v: do is --grad-out's fi"},
        {QKV "--grad-q dq --grad-k ./dq", 2, "--grad-k: ./dq is --grad-q's fi"},
        {QKV "--grad-q dq --grad-v none/dv", 1, "none/dv: cannot write"},
        {"--step backward_simd --sram 9", 2, "--sram: backward_simd counts no"},
        {"--step backward_simd --br 4 --bc 4", 2, "--br: backward_simd has no"},
        {"--step flash2", 2, "--step: 'flash2' is not allowed (allowed: stand"},
        {"--causal --causal-offset 3", 2, "--causal: not together with --c"},
        {"--lse L.npy", 2, "--lse: no such option (allowed:"},
        {"--n 9 --d 8 --sram 20", 2, "--sram: ...memory of 20 elements is too"},
        {"", 1, "common/data/q.npy: not found from here"},
    };
    backward_problem b = written((problem_sizes){2, 4, 2, 13, 21, 6, 4, 5});

    backward_free(&b);
    CHECK_COMMANDS(backward_command, rows);
}

/* --- flash judge ---------------------------------------------------------- */

#define ONE "--n 37 --nk 50 --d 16 --seed 3 "

/* test_known_mistakes.c tries all mistakes. */
IN_DIRECTORY(the_judge_names_the_mistake)
{
    program_fn *const A = attention_command, *const B = backward_command;
    program_fn *const J = judge_command;
    const struct {
        program_fn *run;
        command c;
    } rows[] = {
        {A, {ONE "--causal --out O --lse L", 0}},
        {J,
         {"O --lse L --causal " ONE, 0, NULL, "Heads that are wrong: 0 of 1;"}},
        {A, {ONE "--causal --out O", 0}},
        {J, {"--o O " ONE, 1, NULL, "versa.\nsuspect: causal-forgotten\n"}},
        {A, {ONE "--scale 1 --out O", 0}},
        {J, {"O " ONE, 1, NULL, "\nsuspect: unscaled\n"}},
        {A, {ONE "--causal-offset 0 --out O", 0}},
        {J, {"O --causal " ONE, 1, NULL, "\nsuspect: causal-corner\n"}},
        {A, {ONE "--causal-offset 14 --out O", 0}},
        {J, {"O --causal " ONE, 1, NULL, "\nsuspect: mask-off-by-one\n"}},
        {A, {ONE "--window 9 --out O", 0}},
        {J, {"O --window 8 " ONE, 1, NULL, "\nsuspect: mask-off-by-one\n"}},
        {A, {ONE "--heads 3 --causal --out O --lse L", 0}},
        {J, {"O --lse L --heads 3 " ONE, 1, NULL, "ct: causal-forgotten\n"}},
        {A, {ONE "--scale -1e8 --out O --lse L", 0}},
        {J, {"O --scale 1e8 " ONE, 1, NULL, "4e-03 (bf16).\nsuspect: none\n"}},
        {A, {ONE "--causal-offset -99 --out O --lse L", 0}},
        {J, {"O --lse L --causal-offset -99 " ONE, 0, NULL, "wrong: 0 of 1;"}},
        {B, {ONE "--grad-q dQ --grad-v dV", 0}},
        {J, {"--dq dQ --dv dV " ONE, 0, NULL, "\ndV: the error is "}},
        {B, {ONE "--scale 1 --grad-q dQ", 0}},
        {J,
         {"--dq dQ " ONE, 1, NULL, ": wrong\n  first wrong row: 0 of batch "}},
        {B, {ONE "--causal --grad-q dQ --grad-v dV", 0}},
        {J,
         {"--dq dQ --dv dV " ONE, 1, NULL, "sa.\nsuspect: causal-forgotten\n"}},
        {B, {ONE "--scale 1.01 --grad-v dV", 0}},
        {J, {"--scale 1 --dv dV --error 0.3 " ONE, 0, NULL, ": right\n"}},
        {B, {ONE "--scale 30 --grad-q dQ --grad-k dK", 0}},
        {J, {"--scale 30 --dq dQ --dk dK " ONE, 0, NULL, ": right\n"}},
    };
    const command refused[] = {
        {"L " ONE, 2, "L: the shape is (1, 1, 37) ((1, 1, 37, 16) is needed)"},
        {"none " ONE, 2, "none: cannot open"},
        {ONE, 2, "flash judge: no array to judge (O.npy, --dq, --dk or --dv)"},
        {"--lse L --dq dQ " ONE, 2, "--lse: only with --o"},
        {"O --dq dQ " ONE, 2, "--o: not together with --dq"},
        {"O --out P " ONE, 2, "--out: no such option (allowed:"},
        {"--error 1", 2, "flash judge: no array to judge"},
        {"O", 2, "common/data/q.npy: not found from here"},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        check_commands(rows[k].run, &rows[k].c, 1);
    CHECK_COMMANDS(judge_command, refused);
}

IN_DIRECTORY(a_mistake_in_L_of_several_heads_is_named)
{
    const command c = {"O --lse L --heads 3 " ONE, 1, NULL, "t: l-base-2\n"};
    npy_array L;

    printed_by(attention_command, "--heads 3 --out O --lse L " ONE);
    L = get_array("L");
    for (size_t i = 0; i < L.size; i++)
        L.data[i] *= 1.44269504f;
    assert_int_equal(npy_write("L", &L), 0);
    npy_free(&L);
    check_commands(judge_command, &c, 1);
}

static void spoil_row(const char *file, size_t rows, size_t row, float x)
{
    npy_array a = get_array(file);

    a.data[row * (a.size / rows)] = x;
    assert_int_equal(npy_write(file, &a), 0);
    npy_free(&a);
}

#define TWO ONE "--heads 2 "
IN_DIRECTORY(the_first_wrong_row_of_O_L_or_a_gradient_is_named)
{
    const char *const files[] = {"L", "O", "dQ"};
    const command rows[] = {
        {"O --lse L " TWO, 1, NULL, " 9    0 of 64\n"},
        {"O --lse L " TWO, 1, NULL, " 9    0 of 64\n"},
        {"--dq dQ " TWO, 1, NULL, "first wrong row: 9 of batch 0, head 1\n"},
    };

    for (size_t k = 0; k < 3; k++) {
        printed_by(attention_command, TWO "--out O --lse L");
        printed_by(backward_command, TWO "--grad-q dQ");
        spoil_row(files[k], 74, 37 + 9, 50);
        check_commands(judge_command, &rows[k], 1);
        spoil_row("O", 74, 37 + 30, 50); /* a row after row 9 */
        spoil_row("L", 74, 37 + 31, 50);
        check_commands(judge_command, &rows[k], 1);
    }
}

#define WIDE "--n 37 --nk 20 --d 16 --batch 2 --heads 2 "
/* A row is wrong if its error is more than 1e-5 times the norm of O. */
IN_DIRECTORY(the_first_wrong_row_is_the_first_above_the_limit)
{
    const command wrong = {
        "O --value-cols 24 " WIDE, 1, NULL,
        "\n       1, 1      2.5e+00      -                 9    0 of 64\n"};
    double size = 0;
    npy_array a;

    printed_by(attention_command, WIDE "--dv 24 --out O");
    a = get_array("O");
    for (size_t i = 111 * 24; i < a.size; i++)
        size += (double)a.data[i] * (double)a.data[i];
    a.data[(111 + 4) * 24] += (float)(0.9e-5 * sqrt(size));
    a.data[(111 + 9) * 24] += (float)(1.1e-5 * sqrt(size));
    a.data[(111 + 30) * 24] += 50;
    assert_int_equal(npy_write("O", &a), 0);
    npy_free(&a);
    check_commands(judge_command, &wrong, 1);
}

/* With one key, dQ is 0 apart from rounding. */
IN_DIRECTORY(rounding_in_a_gradient_of_0_is_right)
{
    const command right = {"--dq dQ --n 5 --nk 1 --d 16", 0, NULL, ": right\n"};
    const command wrong = {"--dq dQ --n 5 --nk 1 --d 16", 1, NULL, "e-0"};

    printed_by(backward_command, "--grad-q dQ --n 5 --nk 1 --d 16");
    spoil_row("dQ", 5, 2, 1e-7f);
    check_commands(judge_command, &right, 1);
    spoil_row("dQ", 5, 2, 1e-3f);
    check_commands(judge_command, &wrong, 1);
}

/* V's rows are equal, so dS, dQ and dK are 0. The norm of a row of dO is 4, of
 * V 1, of K 6, of Q 2. The scale is 1/2. */
TEST(the_size_of_a_gradient_of_0_is_that_of_its_terms)
{
    const problem_sizes sizes = {1, 1, 1, 9, 16, 4, 1, 1};
    backward_problem b = {.known = 0};
    problem *p = &b.forward;
    gradient_errors size;

    assert_int_equal(problem_random(p, &sizes), 0);
    assert_int_equal(backward_problem_set_up(&b), 0);
    assert_int_equal(b.dQ.size, 9 * 4);
    assert_int_equal(b.dK.size, 16 * 4);
    assert_int_equal(b.dV.size, 16);
    for (size_t k = 0; k < 16 * 4; k++) {
        p->K.data[k] = 3;
        p->V.data[k / 4] = 1;
        p->Q.data[k % 36] = 1;
        b.dO.data[k % 9] = 4;
    }
    problem_gradient_errors(&b);
    size = gradient_sizes_of(&b);
    assert_close(size.dQ, 0.5 * 4 * 1 / 256 * 6 * 3, 1e-12);
    assert_close(size.dK, 0.5 * 4 * 1 / 256 * 2 * 4, 1e-12);
    assert_close(size.dV, 9, 1e-12);
    backward_free(&b);
}

/* --- flash sweep ---------------------------------------------------------- */

IN_DIRECTORY(sweeps_print_counts_as_csv)
{
    const command rows[] = {
        {"--batch 2 --heads 6 --kv-heads 3 --n 5 --nk 7 --d 8 --dv 3 "
         "--steps flash1 --csv --mask 5x7",
         0, NULL,
         "step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,L,mask,formula,"
         "onchip,extra,exps,rescales,divisions,error,ms\nflash1,2,6,5,7,8,3,"},
        {"--n 5 --d 8 --steps flash2_simd", 0, NULL, ",5,5,8,8,,,,,,,,,,,,,,,"},
        {"--n 5 --d 8 --steps flash1 --br 2 --bc 3", 0, NULL, ",5,5,8,8,2,3,,"},
        {"--backward --csv --n 20 --d 6 --steps flash2_backward", 0, NULL,
         "step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,L,mask,formula,"
         "forward,products,exps,divisions,dQ,dK,dV,ms\n"
         "flash2_backward,1,1,20,20,6,6,6,195,8192,880,380,120,0,0,1260,500,5,"
         "400,0,"},
        {FILES "--over n", 2, "--over: not together with --q (its sizes are f"},
        {FILES "--seed 5", 2, "--seed: not together with --q"},
        {"--over m", 2, "--over: 'm' is not allowed (allowed: n d sram br all"},
        {"--over n --mask M.npy", 2, "--over: n does not fit the mask's shape"},
        {"--over d --block-mask M.npy", 2, "--over: d does not fit the mask's"},
        {"--over sram --br 2 --bc 2", 2, "--over: not together with --br"},
        {"--over n --n 63", 2, "--n: 63 is too ...of n (allowed: at least 64)"},
        {"--over d --d 7", 2, "--d: 7 is too small ...d (allowed: at least 8)"},
        {"--over sram --d 33 --sram 200", 2, "--sram: 200 is ...at least 256"},
        {"--over br --d 33 --sram 131", 2, "--sram: 131 is ...at least 132"},
        {"--backward --over br", 2, "--over: br is not allowed with --backwar"},
        {"--backward --over sram --sram 9", 2, "--sram: 9 is too small for a "},
        {"--n 5 --steps flash1,no", 2, "--steps: 'no' is not allowed (allowed"},
        {"--n 5 --out O.npy", 2, "--out: no such option (allowed:"},
        {"--n 5 --steps flash1 --sram 3", 2, "--sram: flash1: on-chip memory"},
        {"", 1, "common/data/q.npy: not found from here"},
    };

    CHECK(sweep_command, rows);
}

/* N, d and M double from one problem to the next. A sweep of br has up to 15
 * tile sizes. If M or br varies, a step without tiles has one line. */
IN_DIRECTORY(a_sweep_has_a_line_for_each_step_and_size)
{
    const struct {
        const char *line, *text;
        size_t times;
    } rows[] = {
        {"--n 9 --d 4", "step,", 1},
        {"--n 9 --d 4", "\nflash2,", 1},
        {"--n 9 --d 4", "\nlazy_rescale,", 0}, /* not run by default */
        {"--n 9 --d 4", "\nmla,", 0},
        {"--n 9 --d 4 --steps lazy_rescale,flash2", "\nlazy_rescale,", 1},
        {"--n 9 --d 4 --steps lazy_rescale", "\nflash2,", 0},
        {"--over n --n 64 --nk 9 --d 4 --steps flash1", ",1,1,64,9,4,4,", 1},
        {"--over n --n 300 --d 4 --steps flash1", "\nflash1,", 3},
        {"--over d --n 9 --d 16 --steps flash1", "\nflash1,", 2},
        {"--over sram --n 9 --d 8 --sram 64 --steps flash1", "\nflash1,", 2},
        {"--over sram --n 9 --d 8 --sram 128", "\nstandard_attention,", 1},
        {"--over sram --n 9 --d 8 --sram 128", "\nflash2,", 3},
        {"--over br --n 9 --d 8 --sram 256", "\nflash2,", 15},
        {"--over br --n 9 --d 8 --sram 256", "\nstandard_attention,", 1},
        {"--over br --n 9 --d 8 --sram 256", "flash2,1,1,9,9,8,8,4,12,256,", 1},
        {"--over br --n 9 --d 8 --dv 4 --sram 256",
         "flash2,1,1,9,9,8,4,5,16,256,", 1},
        {"--over all --n 64 --d 8 --sram 256 --steps flash1", "\nflash1,", 21},
        {"--backward --over n --n 128 --d 5", "_simd,1,1,128,128,5,5,,,", 1},
        {"--backward --over n --n 128 --d 5", "\nflash1_backward,", 2},
        {"--backward --over d --d 16 --n 20 --heads 2 --kv-heads 1",
         "flash2_backward,1,2,20,20,16,16,16,73,8192,5200,", 1},
        {"--backward --over sram --sram 512 --n 40 --d 6",
         "flash2_backward,1,1,40,40,6,6,6,12,512,4160,1480,", 1},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *at = printed_by(sweep_command, rows[k].line);
        size_t got = 0;

        while ((at = strstr(at, rows[k].text)))
            at++, got++;
        if (got != rows[k].times)
            fail_msg("sweep %s: \"%s\" %zu times, want %zu", rows[k].line,
                     rows[k].text, got, rows[k].times);
    }
    needs_64_bits(); /* the sizes of tiles do not overflow */
    assert_non_null(strstr(
        printed_by(sweep_command, "--over br --n 9 --d 1 --dv 1 --steps flash1 "
                                  "--sram 18446744073709551615"),
        ",540431955284459519,36028797018963968,"));
}

#define PAIRED "--heads 4 --kv-heads 2 --n 5 --d 3 "
IN_DIRECTORY(judge_finds_a_wrong_gradient_of_the_last_head_of_a_group)
{
    static const command judged[] = {
        {"--dq dQ " PAIRED, 1, NULL, "first wrong row: 4 of batch 0, head 3"},
    };
    npy_array dQ;

    printed_by(backward_command, PAIRED "--grad-q dQ");
    dQ = get_array("dQ");
    dQ.data[dQ.size - 1] += 1;
    assert_int_equal(npy_write("dQ", &dQ), 0);
    npy_free(&dQ);
    CHECK_COMMANDS(judge_command, judged);
}

/* --- flash precision ------------------------------------------------------ */

IN_DIRECTORY(precision_prints_and_refuses)
{
    const command rows[] = {
        {"softmax --n 7 --types fp32", 0, NULL, "normal:0.25    fp32  safe_"},
        {"softmax --n 7 --seed 5 --repeat 2 --types bf16 --csv", 0, NULL,
         "\nsoftmax,sorted:4,bf16,online_softmax,7,0,64,2,5,"},
        {"softmax --n 7 --csv", 0, NULL, "what,rows,storage,step,N,d,Bc,repet"},
        {"softmax --rows file:x --repeat 2 --types fp32 --csv", 0, NULL,
         "\nsoftmax,file:x,fp32,safe_softmax,8,0,64,2,3,"},
        {"softmax --repeat 0", 2,
         "--repeat: '0' is not a whole number from 1 "},
        {"softmax --n 9 --rows uniform:2 --csv", 0, NULL,
         "\nsoftmax,uniform:2,fp16,merged_softmax,9,0,64,64,3,"},
        {"softmax --rows file:x --n 8,9", 2,
         "--n: '9' is not allowed (allowed: 1 to 8, the scores of a row of "},
        {"softmax --rows file:x --csv --types fp16", 0, NULL,
         "\nsoftmax,file:x,fp16,safe_softmax,8,0,64,3,3,"},
        {"attention --n 9 --steps flash2 --bc 2 --d 4 --csv", 0, NULL,
         "\nattention,sorted:1,fp32,flash2,9,4,2,16,1,"},
        {"attention --n 9 --steps flash1 --rows falling:1,single:1 --types "
         "bf16:POml --d 4 --csv",
         0, NULL, "\nattention,single:1,bf16:POml,flash1,9,4,64,16,1,"},
        {"attention --rows real", 1, "common/data/q.npy: not found"},
        {"attention --n 9 --steps flash2_simd --types bf16", 0,
         "flash2_simd: stores only fp32 (left out for bf16)", "next: make plo"},
        {"--help", 0, NULL, "--steps LIST"},
        {"softmax --help", 0, NULL, "\nexamples:\n  ./flash precision soft"},
        {"", 2, "precision: '' is not allowed (allowed: softmax attention)"},
        {"x", 2, "precision: 'x' is not allowed (allowed: softmax attention)"},
        {"--n 7", 2,
         "precision: an argument is missing (softmax or attention)"},
        {"softmax --bc 4", 2, "--bc: no such option (allowed: --n --rows"},
        {"softmax --n 0", 2, "--n: '0' is not allowed (allowed: 1 to 16777216"},
        {"softmax --n ,", 2, "--n: no words (expected: a list)"},
        {"softmax --types e4m3", 2, "--types: 'e4m3' is not allowed (allowed:"},
        {"softmax --rows zipf:2", 2, "--rows: 'zipf:2' is not allowed (allowe"},
        {"softmax --rows normal:nan", 2, "--rows: 'normal:nan' is not allowed"},
        {"softmax --rows sorted:-1", 2, "--rows: 'sorted:-1' is not allowed"},
        {"softmax --rows file:none", 1, "none: cannot open"},
        {"softmax --rows file:0x7", 1, "file:0x7: has no rows"},
        {"attention --rows file:x", 2, "--rows: 'file:x' is not allowed (allo"},
        {"attention --rows realer", 2, "--rows: 'realer' is not allowed (all"},
        {"attention --types bf16:Q", 2, "--types: 'bf16:Q' is not allowed (a"},
        {"softmax --types bf16:P", 2, "--types: 'bf16:P' is not allowed (allo"},
        {"attention --steps mla", 2, "--steps: 'mla' is not allowed (allowed:"},
        {"attention --d 1025", 2, "--d: '1025' is not allowed (allowed: 1 to"},
    };

    put_numbers("x", "3x8", NULL);
    put_numbers("0x7", "0x7", NULL);
    CHECK(precision_command, rows);
}

/* Without --n the lengths are 16, 32, ... and the whole row. */
IN_DIRECTORY(precision_measures_prefixes_of_files_with_blanks_in_their_names)
{
    char *argv[] = {"flash",
                    "softmax",
                    "--csv",
                    "--types",
                    "fp32",
                    "--rows",
                    " file:my  own x.npy normal:2  file:x "};
    const char *csv;
    int status;

    put_numbers("my  own x.npy", "3x40", NULL);
    put_numbers("x", "16", NULL);
    begin_capture();
    status = precision_command(7, argv);
    csv = end_capture();
    assert_int_equal(status, 0);
    for (size_t n = 16; n; n = n < 32 ? 32 : n < 40 ? 40 : 0) {
        char line[100];

        snprintf(line, sizeof line,
                 "\nsoftmax,file:my  own x.npy,fp32,safe_softmax,%zu,0,64,3,",
                 n);
        assert_non_null(strstr(csv, line));
    }
    assert_non_null(
        strstr(csv, "\nsoftmax,file:x,fp32,safe_softmax,16,0,64,1"));
    assert_non_null(strstr(csv, "\nsoftmax,normal:2,fp32,"));
}

static void get_errors(const char *csv, const char *text, double error[2])
{
    const char *at = strstr(csv, text);

    assert_non_null(at);
    at += strlen(text);
    assert_int_equal(sscanf(at, "%lf,%lf", &error[0], &error[1]), 2);
}

/* The scores are exact in bf16, so the error is only that of the weights. */
IN_DIRECTORY(precision_is_the_error_against_float64)
{
    const float x[] = {1, 0};
    double y = 1 / (1 + exp(-1)), want[2], wide[2], bf16[2];
    double first = (double)round_to(BF16, (float)y) - y;
    double second = (double)round_to(BF16, (float)(1 - y)) - (1 - y);
    const char *csv;

    want[0] = hypot(first, second) / hypot(y, 1 - y);
    want[1] = fmax(fabs(first), fabs(second));
    put_numbers("x", "1x2", x);
    csv = printed_by(precision_command,
                     "softmax --rows file:x --csv --types fp32,bf16");
    get_errors(csv, "bf16,safe_softmax,2,0,64,1,3,", bf16);
    get_errors(csv, "fp32,safe_softmax,2,0,64,1,3,", wide);
    for (size_t k = 0; k < 2; k++) {
        assert_true(fabs(bf16[k] / want[k] - 1) < 1e-3);
        assert_true(wide[k] < 1e-7);
    }
}

/* The scores are so large that each query sees only one key. So O is a row of V,
 * here rounded to bf16. The error is against the V before that. Q, K and V are
 * drawn one after another. */
IN_DIRECTORY(precision_of_attention_is_the_error_against_float64)
{
    enum { QUERIES = 8, KEYS = 2 };
    float Q[QUERIES], KV[2 * KEYS], *V = KV + KEYS;
    random_source r = random_seed(8);
    double square = 0, norm = 0, most = 0, scale, error[2];

    random_fill(&r, Q, QUERIES, 5000);
    random_fill(&r, KV, 2 * KEYS, 1);
    scale = fmax(fabs((double)round_to(BF16, V[0])),
                 fabs((double)round_to(BF16, V[1])));
    for (size_t i = 0; i < QUERIES; i++) {
        size_t j = Q[i] * KV[0] > Q[i] * KV[1] ? 0 : 1;
        double v = (double)V[j], O = (double)round_to(BF16, V[j]);

        assert_true(fabsf(Q[i] * (KV[0] - KV[1])) > 100);
        square += (O - v) * (O - v);
        norm += v * v;
        most = fmax(most, fabs(O - v));
    }
    get_errors(printed_by(precision_command,
                          "attention --n 2 --d 1 --steps flash2 --csv --seed 8 "
                          "--repeat 1 --rows unscaled:5000 "
                          "--types bf16:unrounded"),
               "bf16:unrounded,flash2,2,1,64,1,8,", error);
    assert_true(fabs(error[0] / sqrt(square / norm) - 1) < 1e-3);
    assert_true(fabs(error[1] / (most / scale) - 1) < 1e-3);
}

/* flash1 rounds O to bf16 once per tile, flash2 once. On a rising row the
 * factors alpha make early roundings small. */
#define OF "attention --n 256 --steps flash1,flash2 --bc 1 --csv --rows "
IN_DIRECTORY(precision_of_attention_has_the_order_that_the_page_states)
{
    if (is_short())
        skip();
    const char *csv = printed_by(precision_command,
                                 OF "normal:1 --types fp32,bf16,bf16:P,bf16:PO,"
                                    "bf16:POml,bf16:unrounded");
    double flash1[2], flash2[2], wide[2], rising[2], P[2], other[2];

    get_errors(csv, "bf16,flash1,256,64,1,3,1,", flash1);
    get_errors(csv, "bf16,flash2,256,64,1,3,1,", flash2);
    get_errors(csv, "fp32,flash2,256,64,1,3,1,", wide);
    assert_true(wide[0] > 1e-8 && wide[0] < 1e-5);
    assert_true(flash2[0] > 100 * wide[0] && flash1[0] > 4 * flash2[0]);
    /* Each array that is stored in bf16 adds to the error. */
    get_errors(csv, "normal:1,bf16:P,flash2,256,64,1,3,1,", P);
    get_errors(csv, "normal:1,bf16:PO,flash1,256,64,1,3,1,", other);
    assert_true(P[0] > 100 * wide[0] && P[0] < flash2[0] &&
                other[0] == flash1[0]);
    get_errors(csv, "normal:1,bf16:POml,flash1,256,64,1,3,1,", other);
    assert_true(other[0] > flash1[0]);
    get_errors(csv, "normal:1,bf16:unrounded,flash1,256,64,1,3,1,", other);
    assert_true(other[0] > 1e-3 && other[0] < 1e-2);

    csv = printed_by(precision_command,
                     OF "sorted:1,falling:1,unscaled:8 --types fp32,bf16");
    get_errors(csv, "sorted:1,bf16,flash1,256,64,1,16,1,", rising);
    assert_true(rising[0] < 0.6 * flash1[0]);

    /* Falling scores never rescale. Without the scale, scores have the spread
     * of the row's word, so 8 is far from 1. */
    get_errors(csv, "falling:1,bf16,flash1,256,64,1,16,1,", other);
    assert_true(other[0] > 2 * rising[0]);
    get_errors(csv, "unscaled:8,fp32,flash2,256,64,1,3,1,", other);
    assert_true(other[0] > 2 * wide[0]);
}
