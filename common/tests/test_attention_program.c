/*
 * The program of chapters 04 to 06, with steps of the test's own: what it
 * computes, writes, prints and refuses, and how it exits.
 */
#include "common/testing/assert_close.h"
#include "common/npy/npy.h"
#include "common/problem/attention_arrays.h"
#include "common/judge/attention_measure.h"
#include "common/program/attention_program.h"
#include "common/testing/file_check.h"
#include "common/judge/reference_attention.h"
#include "common/testing/run_tests.h"
#include "common/scores.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- A chapter ------------------------------------------------------------ */

static size_t runs;

/* One query after another, all its scores at once. */
static int attend(const head *h, memory *mem)
{
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix k = on_chip(mem, 1, h->d), v = on_chip(mem, 1, h->dv);
    matrix s = scratch(mem, 1, h->Nk + 1);

    runs++;
    if (mem->error)
        return mem->error;
    for (size_t i = 0; i < h->Nq; i++) {
        size_t seen = keys_seen(h, i);
        float m, l, L;

        load(mem, q, h->Q, i, 0);
        fill(o, 0);
        for (size_t j = 0; j < seen; j++) {
            load(mem, k, h->K, j, 0);
            scores(h, mem, block(s, 0, j, 1, 1), q, k, i, j);
        }
        m = fmaxf(m_before(h), max_of(s.data, seen));
        l = exp_minus(m_before(h), m) + weights(h, s.data, seen, m);
        for (size_t j = 0; j < seen; j++) {
            load(mem, v, h->V, j, 0);
            add_weighted(o.data, s.data + j, v);
        }
        rescale(o.data, inverse(l), h->dv);
        L = m + logf(l);
        store(mem, h->O, i, 0, o);
        store(mem, h->L, i, 0, matrix_of(&L, 1, 1));
    }
    return mem->error;
}

static int ask_for_too_much(const head *h, memory *mem)
{
    (void)h;
    hbm_scratch(mem, (size_t)-1 / 2, 4, FP32);
    return mem->error;
}

/* On a machine that has a memory of its own. */
static int attend_elsewhere(const head *h, memory *mem)
{
    memory there;

    memory_init(&there, MEMORY_UNBOUNDED);
    mem->error = attend(h, &there);
    memory_reset(&there);
    return mem->error;
}

static tile_sizes given_tiles(const head *h, size_t M)
{
    return (tile_sizes){h->Br ? h->Br : 1, h->Bc ? h->Bc : M / 64};
}

static counts traffic(const head *h, tile_sizes t)
{
    size_t pairs = 0;

    (void)t;
    for (size_t i = 0; i < h->Nq; i++)
        pairs += keys_seen(h, i);
    return (counts){
        .read[ALGORITHM] = h->Nq * h->d + pairs * (h->d + h->dv),
        .written[ALGORITHM] = h->Nq * (h->dv + 1),
        .read[MASK] = h->mask.hbm.data ? pairs : 0,
    };
}

static const attention_step earlier = {.name = "earlier",
                                       .idea = "of a chapter before",
                                       .run = attend,
                                       .formula = traffic};
static const attention_step own[] = {
    {.name = "plain",
     .idea = "without tiles",
     .run = attend,
     .formula = traffic},
    {.name = "tiled",
     .idea = "with tiles",
     .run = attend,
     .tiles = given_tiles,
     .formula = traffic},
    {.name = "fast", .type = BF16, .idea = "counts nothing", .run = attend},
    {0},
};
static const attention_step greedy[] = {
    {.name = "greedy",
     .idea = "wants memory",
     .run = ask_for_too_much,
     .formula = traffic},
    {0},
};
static const attention_step elsewhere[] = {
    {.name = "far", .idea = "on a machine", .run = attend_elsewhere},
    {0},
};
static const attention_step *const before[] = {&earlier, NULL};

static void lesson(const layer *p, size_t M, const measurement m[])
{
    printf("lesson of %zu queries, M = %zu, %s\n", p->each.Nq, M, m->name);
}

static int trace(void)
{
    puts("trace");
    return 0;
}

static way chapter = {
    .about = "about",
    .example = "./run",
    .before = before,
    .own = own,
    .reading = 1,
    .lesson = lesson,
    .next = "go on",
    .trace = trace,
};

/* --- Running it ----------------------------------------------------------- */

static char *printed;

/* The exit code; what was printed goes to `printed`. */
static int run(const char *line)
{
    static char words[1024];
    char *argv[64] = {"./run"};
    int argc = 1, status;

    snprintf(words, sizeof words, "%s", line);
    for (char *w = strtok(words, " "); w && argc < 63; w = strtok(NULL, " "))
        argv[argc++] = w;
    free(printed);
    hear_stdout();
    status = attention_program(&chapter, NULL, argc, argv);
    printed = heard_stdout();
    return status;
}

static void assert_runs(const char *line)
{
    hear_stderr();
    int status = run(line);
    assert_said_nothing();
    assert_int_equal(status, 0);
}

static void assert_refused(const char *line, int want, const char *name,
                           const char *reason)
{
    hear_stderr();
    int status = run(line);
    if (want == 2)
        assert_string_equal(printed, "");
    assert_said_line(name, reason);
    assert_int_equal(status, want);
    assert_true(access("O.npy", F_OK) != 0 && access("L.npy", F_OK) != 0);
}

/* Writes numbers 0, 1/8, 2/8 ... of that shape: "2 3 4". */
static void put_numbers(const char *path, const char *shape,
                        const float *numbers)
{
    size_t sizes[8], dims = 0;
    char text[80], *next = text;
    npy_array a;

    snprintf(text, sizeof text, "%s", shape);
    while (*next)
        sizes[dims++] = strtoul(next, &next, 10);
    assert_int_equal(npy_new(&a, dims, sizes), 0);
    for (size_t i = 0; i < a.size; i++)
        a.data[i] = numbers ? numbers[i] : (float)(i * 7 % 16) / 8 - 1;
    assert_int_equal(npy_write(path, &a), 0);
    npy_free(&a);
}

static void put_array(const char *path, const char *shape)
{
    put_numbers(path, shape, NULL);
}

static void put_qkv(const char *Q, const char *K, const char *V)
{
    put_array("Q.npy", Q);
    put_array("K.npy", K);
    put_array("V.npy", V);
}

#define FILES "--q Q.npy --k K.npy --v V.npy "

static npy_array get_array(const char *path, const char *want_shape)
{
    char shape[NPY_SHAPE_MAX];
    npy_array a;

    assert_int_equal(npy_read(path, &a), 0);
    assert_string_equal(npy_shape_text(&a, shape), want_shape);
    return a;
}

static void assert_shape(const char *path, const char *want)
{
    npy_array a = get_array(path, want);

    npy_free(&a);
}

static size_t lines_with(const char *text)
{
    size_t n = 0;

    for (const char *at = printed; (at = strstr(at, text)); at++)
        n++;
    return n;
}

/* --- What it computes ----------------------------------------------------- */

static void outputs_have_the_dimensions_of_q(void **state)
{
    put_qkv("5 8", "7 8", "7 3");
    assert_runs(FILES "--out O.npy --lse L.npy");
    assert_shape("O.npy", "(5, 3)");
    assert_shape("L.npy", "(5,)");
    put_qkv("6 5 8", "2 7 8", "2 7 3");
    assert_runs(FILES "--out O.npy --lse L.npy");
    assert_shape("O.npy", "(6, 5, 3)");
    assert_shape("L.npy", "(6, 5)");
    put_qkv("2 6 5 8", "2 1 7 8", "2 1 7 3");
    assert_runs(FILES "--out O.npy --lse L.npy");
    assert_shape("O.npy", "(2, 6, 5, 3)");
    assert_shape("L.npy", "(2, 6, 5)");
}

/* Against the oracle, from the files alone; head 4 of entry 1 has key head 2 of
 * 3 and a mask of its own. */
static void every_feature_reaches_the_kernel(void **state)
{
    float blocks[] = {1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1};
    npy_array Q, K, V, M, S, O, L;
    double want[5 * 3], want_L[5];
    head h;

    put_qkv("2 6 5 8", "2 3 7 8", "2 3 7 3");
    put_array("M.npy", "2 6 5 7");
    put_array("S.npy", "6");
    put_numbers("B.npy", "3 4", blocks);
    assert_runs(FILES "--mask M.npy --scale -0.75 --softcap 1.5 "
                      "--causal-offset 1 --window 3 --alibi --sink S.npy "
                      "--block-mask B.npy --block-size 2 "
                      "--out O.npy --lse L.npy");
    Q = get_array("Q.npy", "(2, 6, 5, 8)");
    K = get_array("K.npy", "(2, 3, 7, 8)");
    V = get_array("V.npy", "(2, 3, 7, 3)");
    M = get_array("M.npy", "(2, 6, 5, 7)");
    S = get_array("S.npy", "(6,)");
    O = get_array("O.npy", "(2, 6, 5, 3)");
    L = get_array("L.npy", "(2, 6, 5)");
    h = (head){
        .Nq = 5,
        .Nk = 7,
        .d = 8,
        .dv = 3,
        .Q = {matrix_of(Q.data + 10 * 40, 5, 8), FP32},
        .K = {matrix_of(K.data + 5 * 56, 7, 8), FP32},
        .V = {matrix_of(V.data + 5 * 21, 7, 3), FP32},
        .mask = {matrix_of(M.data + 10 * 35, 5, 7), FP32},
        .scale = -0.75f,
        .softcap = 1.5f,
        .causal = true,
        .offset = 1,
        .window = 3,
        .slope = exp2f(-8 * 5 / 6.0f), /* of the fifth of 6 heads */
        .sink = S.data + 4,
        .blocks = {.of = matrix_of(blocks, 3, 4), .size = 2},
    };
    assert_int_equal(reference_attention(&h, want, want_L), 0);
    assert_all_close(O.data + 10 * 15, want, 15, 1e-6);
    assert_all_close(L.data + 10 * 5, want_L, 5, 1e-6);
    npy_array *all[] = {&Q, &K, &V, &M, &S, &O, &L};
    for (size_t k = 0; k < 7; k++)
        npy_free(all[k]);
}

/* Scale 1/sqrt(d), and nothing else. */
static void without_options_it_is_the_definition(void **state)
{
    npy_array Q, K, V, O;
    double want[5 * 3];
    head h;

    put_qkv("5 8", "7 8", "7 3");
    assert_runs(FILES "--out O.npy");
    Q = get_array("Q.npy", "(5, 8)");
    K = get_array("K.npy", "(7, 8)");
    V = get_array("V.npy", "(7, 3)");
    O = get_array("O.npy", "(5, 3)");
    h = (head){
        .Nq = 5,
        .Nk = 7,
        .d = 8,
        .dv = 3,
        .Q = {matrix_of(Q.data, 5, 8), FP32},
        .K = {matrix_of(K.data, 7, 8), FP32},
        .V = {matrix_of(V.data, 7, 3), FP32},
        .scale = 1 / sqrtf(8),
    };
    assert_int_equal(reference_attention(&h, want, NULL), 0);
    assert_all_close(O.data, want, 15, 1e-6);
    npy_array *all[] = {&Q, &K, &V, &O};
    for (size_t k = 0; k < 4; k++)
        npy_free(all[k]);
}

static void causal_lets_the_last_query_see_every_key(void **state)
{
    npy_array first, second;

    put_qkv("3 4", "5 4", "5 2");
    assert_runs(FILES "--causal --out O.npy");
    first = get_array("O.npy", "(3, 2)");
    assert_runs(FILES "--causal-offset 2 --out O.npy");
    second = get_array("O.npy", "(3, 2)");
    assert_memory_equal(first.data, second.data, 6 * sizeof(float));
    npy_free(&second);
    assert_runs(FILES "--causal-offset 1 --out O.npy");
    second = get_array("O.npy", "(3, 2)");
    assert_memory_not_equal(first.data, second.data, 6 * sizeof(float));
    npy_free(&first);
    npy_free(&second);
}

static void extreme_causal_offsets_are_all_or_nothing(void **state)
{
    npy_array O;

    needs_64_bits();
    put_qkv("3 4", "5 4", "5 2");
    assert_runs(FILES "--causal-offset -9223372036854775808 --out O.npy");
    O = get_array("O.npy", "(3, 2)");
    assert_all_close(O.data, ((double[6]){0}), 6, 0);
    npy_free(&O);
    assert_runs(FILES "--causal-offset 9223372036854775807 --out O.npy");
    assert_shape("O.npy", "(3, 2)");
}

static void no_keys_give_zeros_and_minus_infinity(void **state)
{
    npy_array O, L;

    put_qkv("2 3 5 8", "2 3 0 8", "2 3 0 2");
    assert_runs(FILES "--out O.npy --lse L.npy");
    O = get_array("O.npy", "(2, 3, 5, 2)");
    L = get_array("L.npy", "(2, 3, 5)");
    for (size_t i = 0; i < O.size; i++)
        assert_close(O.data[i], 0, 0);
    for (size_t i = 0; i < L.size; i++)
        assert_close(L.data[i], -HUGE_VAL, 0);
    npy_free(&O);
    npy_free(&L);
}

static void nothing_to_write_is_an_empty_output(void **state)
{
    put_qkv("0 3 5 8", "0 3 7 8", "0 3 7 2");
    assert_runs(FILES "--out O.npy --lse L.npy");
    assert_shape("O.npy", "(0, 3, 5, 2)");
    assert_shape("L.npy", "(0, 3, 5)");
    put_qkv("2 0 5 8", "2 0 7 8", "2 0 7 2");
    assert_runs(FILES "--out O.npy --lse L.npy");
    assert_shape("O.npy", "(2, 0, 5, 2)");
    put_qkv("0 8", "7 8", "7 2");
    assert_runs(FILES "--out O.npy --lse L.npy");
    assert_shape("O.npy", "(0, 2)");
    assert_shape("L.npy", "(0,)");
    put_qkv("5 8", "7 8", "7 0");
    assert_runs(FILES "--out O.npy --lse L.npy");
    assert_shape("O.npy", "(5, 0)");
    assert_shape("L.npy", "(5,)");
    assert_runs("--n 5 --nk 0 --dv 0 --out O.npy");
    assert_shape("O.npy", "(1, 1, 5, 0)");
    assert_runs("--n 0 --batch 0 --heads 0 --kv-heads 0 --out O.npy");
    assert_shape("O.npy", "(0, 0, 0, 32)");
}

/* With a lesson, or the data of all plots, which takes minutes. */
static void only_no_option_or_csv_alone_is_bare(void **state)
{
    char *lines[][4] = {{"./run"},
                        {"./run", "--csv"},
                        {"./run", "--list"},
                        {"./run", "--csv", "--causal"},
                        {"./run", "--n", "5"}};
    const bool want[] = {true, true, false, false, false};

    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        int argc = 0, status;
        request r;

        while (lines[k][argc])
            argc++;
        assert_true(request_read(&r, &chapter, argc, lines[k], &status));
        assert_int_equal(asks_nothing(r.o), want[k]);
    }
}

/* (B, N, H, d) fits too, as another problem: N heads of H keys. */
static void more_heads_than_keys_are_asked_about(void **state)
{
    const char *question = "If it is (B, N, H, d)";

    put_qkv("1 9 4 8", "1 9 4 8", "1 9 4 8");
    assert_runs(FILES "--out O.npy");
    assert_non_null(strstr(printed, question));
    put_qkv("1 4 9 8", "1 4 9 8", "1 4 9 8");
    assert_runs(FILES "--out O.npy");
    assert_null(strstr(printed, question));
    put_qkv("1 9 1 8", "1 9 9 8", "1 9 9 8"); /* decoding */
    assert_runs(FILES "--out O.npy");
    assert_null(strstr(printed, question));
}

/* --- What it refuses ------------------------------------------------------ */

static void shapes_that_do_not_fit_exit_2(void **state)
{
    put_qkv("6 5 8", "4 7 8", "4 7 8");
    assert_refused(FILES "--out O.npy", 2, "K.npy",
                   "shape (4, 7, 8) does not fit Q.npy (6, 5, 8)");
    assert_refused(FILES "--out O.npy", 2, "K.npy", "swap axes 1 and 2");
    put_qkv("5 0", "7 0", "7 3");
    assert_refused(FILES "--out O.npy", 2, "Q.npy", "at least 1");
    put_qkv("5 8", "7 8", "7 8");
    put_qkv("5 8", "7 8", "6 3");
    assert_refused(FILES "--out O.npy", 2, "V.npy",
                   "shape (6, 3) does not fit K.npy (7, 8)");
    put_qkv("5 8", "7 8", "7 8");
    put_array("M.npy", "5 6");
    assert_refused(FILES "--mask M.npy --out O.npy", 2, "M.npy",
                   "shape (5, 6) does not fit K.npy (7, 8)");
    assert_refused("--n 5 --sink M.npy", 2, "M.npy", "shape (5, 6) (sinks are");
    assert_refused("--n 9 --block-mask M.npy --block-size 2", 2, "M.npy",
                   "9 queries and 9 keys in blocks of 2 need (5, 5)");
    assert_refused("--n 9 --nk 11 --block-mask M.npy --block-size 2", 2,
                   "M.npy", "-1 for block (0, 0) (0 or 1 are allowed)");
    assert_refused("--n 5 --mask M.npy", 2, "M.npy",
                   "shape (5, 6) does not fit K (1, 1, 5, 32)");
}

static void what_a_file_holds_exits_1(void **state)
{
    put_qkv("5 8", "7 8", "7 8");
    put_file("V.npy", "no array", 8);
    assert_refused(FILES "--out O.npy", 1, "V.npy", "");
    unlink("K.npy");
    assert_refused(FILES "--out O.npy", 1, "K.npy", "cannot open");
    put_qkv("5 8", "7 8", "7 8");
    assert_refused(FILES "--mask M.npy --out O.npy", 1, "M.npy", "cannot open");
    assert_refused("--step plain", 1, "common/data/q.npy",
                   "not found from here");
    assert_refused("", 1, "common/data/q.npy", "not found from here");
}

static void options_that_do_not_go_together_exit_2(void **state)
{
    const char *const refused[][3] = {
        {"--q Q.npy --k K.npy --out O.npy", "--v", "is missing"},
        {"--v V.npy --out O.npy", "--q", "is missing"},
        {FILES "--n 5 --out O.npy", "--n", "not together with --q"},
        {FILES "--seed 5 --csv", "--seed", "not together with --q"},
        {FILES "--csv --out O.npy", "--csv", "not together with --out"},
        {FILES "--csv --sweep n", "--sweep", "n is fixed by --q"},
        {FILES "--lse L.npy", "--lse", "only with --out"},
        {FILES "--out L.npy --lse ./L.npy", "--lse", "is --out's file"},
        {FILES "--out ./Q.npy", "--out", "./Q.npy is --q's file"},
        {FILES "--mask M.npy --out M.npy", "--out", "M.npy is --mask's file"},
        {FILES "--out O.npy --lse V.npy", "--lse", "V.npy is --v's file"},
        {"--sweep n", "--sweep", "only with --csv"},
        {"--csv --sweep m", "--sweep", "no 'm' here"},
        {"--csv --sweep n --mask M.npy", "--sweep", "with --mask"},
        {"--csv --sweep sram --br 2 --bc 2", "--sweep", "with --br"},
        {"--list --trace", "--list", "not together with --trace"},
        {"--trace --n 5", "--trace", "not together with --n"},
        {"--br 4", "--br", "only together with --bc"},
        {"--bc 4", "--bc", "only together with --br"},
        {"--br 4 --bc 4 --sram 100", "--bc", "not together with --sram"},
        {"--step plain --br 4 --bc 4", "--bc", "plain has no tiles"},
        {"--step fast --br 4 --bc 4", "--bc", "fast has no tiles"},
        {"--step fast --sram 999", "--sram", "fast counts no traffic"},
        {"--step none", "--step", "no 'none' here (one of: earlier plain"},
        {"--causal --causal-offset 3", "--causal", "with --causal-offset"},
        {"--softcap 0", "--softcap", "not above 0"},
        {"--softcap -1", "--softcap", "not above 0"},
        {"--n 5 --sink nan", "--sink", "'nan' is neither a number finite in"},
        {"--n 5 --sink 1e39", "--sink", "'1e39' is neither"},
        {"--n 5 --sink 0x10", "--sink", "'0x10' is neither"},
        {"--n 5 --sink=\t3", "--sink", "'\\x093' is neither"},
        {"--n 5 --sink no.npy", "--sink", "nor a file"},
        {"--block-size 4", "--block-size", "only with --block-mask"},
        {"--csv --sweep n --block-mask M.npy", "--sweep", "with --block-mask"},
        {"--window 0", "--window", "not a whole number from 1"},
        {"--window -3", "--window", "not a whole number from 1"},
        {"--scale nan", "--scale", "not a number finite in fp32"},
        {"--scale inf", "--scale", "not a number finite in fp32"},
        {"--scale 1e39", "--scale", "not a number finite in fp32"},
        {"--d 0", "--d", "not a whole number from 1"},
        {"--br 0 --bc 4", "--br", "not a whole number from 1"},
        {"--sram 0", "--sram", "not a whole number from 1"},
        {"--heads 6 --kv-heads 4", "--kv-heads", "6 query heads cannot share"},
        {"--heads 6 --kv-heads 0", "--kv-heads", "6 query heads cannot share"},
        {"--n -5", "--n", "not a whole number"},
        {"--queries 5", "--queries", "no such option"},
    };

    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        assert_refused(refused[k][0], 2, refused[k][1], refused[k][2]);
}

static void what_is_too_far_or_too_large_exits_2(void **state)
{
    const char *const refused[][3] = {
        {"--n 5 --alibi --causal-offset 3000000000000000000", "--causal-offset",
         "is too far for --alibi"},
        {"--n 4 --d 18446744073709551615", "--d", "18446744073709551615 is"},
        {"--n 0 --dv 18446744073709551615 --csv", "--dv", "is too large"},
        {"--n 4294967296 --d 4294967296 --csv", "--nk", "is too large"},
        {"--heads 0 --kv-heads 9223372036854775808", "--kv-heads", "too large"},
    };

    needs_64_bits();
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        assert_refused(refused[k][0], 2, refused[k][1], refused[k][2]);
}

static void own_tables(const measurement m[], size_t n)
{
    printf("%zu of my own, first %s\n", n, m->name);
}

static void a_chapter_with_tables_of_its_own_has_no_M(void **state)
{
    const way usual = chapter;

    chapter.tables = own_tables;
    chapter.before = NULL;
    chapter.own = elsewhere;
    chapter.reading = 0;
    assert_refused("--n 5 --sram 99", 2, "--sram", "not to be chosen here");
    assert_refused("--csv --sweep sram", 2, "--sweep", "no sram to choose");
    assert_refused("--csv --sweep br", 2, "--sweep", "no br to choose");
    assert_runs("--n 5");
    assert_non_null(strstr(printed, "d = 32\n\n1 of my own, first far\n"));
    assert_null(strstr(printed, "M ="));
    chapter = usual;
    assert_runs("--n 5 --step plain");
    assert_non_null(strstr(printed, "d = 32; M = 8,192 elements\n"));
}

static void a_chapter_of_too_many_steps_is_refused(void **state)
{
    static attention_step many[MOST_STEPS + 2];
    static const attention_step *long_ago[MOST_STEPS + 1];
    const way usual = chapter;

    chapter.before = NULL;
    chapter.own = many;
    for (size_t k = 0; k < MOST_STEPS; k++)
        many[k] = own[1];
    assert_runs("--list");
    many[MOST_STEPS] = own[1];
    assert_refused("--list", 1, "request_read", "33 steps, and room for 32");
    chapter.own = own;
    chapter.before = long_ago;
    for (size_t k = 0; k < MOST_STEPS; k++)
        long_ago[k] = &own[1];
    assert_refused("--list", 1, "request_read", "35 steps, and room for 32");
    chapter = usual;
}

static void where_there_is_one_query_a_tile_bc_stands_alone(void **state)
{
    chapter.one_query = true;
    assert_refused("--n 5 --br 4 --bc 4", 2, "--br", "one query at a time");
    assert_refused("--n 5 --bc 4 --sram 99", 2, "--bc", "with --sram");
    assert_runs("--n 5 --bc 4 --step tiled --csv");
    chapter.one_query = false;
    assert_non_null(strstr(printed, "\ntiled,1,1,5,5,32,32,1,4,,"));
}

static void too_small_an_m_exits_2_and_names_the_least(void **state)
{
    assert_refused("--n 5 --d 8 --sram 31 --step plain", 2, "--sram",
                   "(allowed: at least 2 (d + dv) = 32)");
    assert_runs("--n 5 --d 8 --sram 32 --step plain");
}

static void no_memory_exits_1(void **state)
{
    needs_64_bits();
    chapter.own = greedy;
    assert_refused("--n 5 --step greedy --out O.npy", 1, "greedy",
                   "out of memory for an array of ");
    chapter.own = own;
}

static void an_output_that_cannot_be_written_leaves_neither(void **state)
{
    put_qkv("5 8", "7 8", "7 3");
    assert_refused(FILES "--out O.npy --lse none/L.npy", 1, "none/L.npy",
                   "cannot write");
    assert_refused(FILES "--out none/O.npy --lse L.npy", 1, "none/O.npy",
                   "cannot write");
}

static void a_disk_that_is_full_at_the_end_leaves_neither(void **state)
{
    put_qkv("64 8", "7 8", "7 64");
    fill_disk(10000);
    assert_refused(FILES "--out O.npy", 1, "O.npy", "cannot write");
    assert_refused(FILES "--out O.npy --lse L.npy", 1, "O.npy", "cannot write");
    empty_disk();
}

/* A teardown removes no folders. */
static void asked_nothing_it_tells_the_lesson(void **state)
{
    const char *files[] = {"common/data/q.npy", "common/data/k.npy",
                           "common/data/v.npy"};

    assert_true(!mkdir("common", 0700) && !mkdir("common/data", 0700));
    for (size_t k = 0; k < 3; k++)
        put_array(files[k], "3 5 8");
    assert_runs("");
    assert_int_equal(lines_with("\nplain "), 2);
    assert_int_equal(
        lines_with("\nlesson of 5 queries, M = 8192, earlier\n\nnext: go on\n"),
        1);
    assert_runs("--causal");
    assert_int_equal(lines_with("lesson"), 0);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(unlink(files[k]), 0);
    assert_true(!rmdir("common/data") && !rmdir("common"));
}

/* Nor is an output needed. */
static void without_an_output_files_have_tables(void **state)
{
    put_qkv("5 8", "7 8", "7 3");
    assert_runs(FILES);
    assert_int_equal(lines_with("\nearlier "), 2);
    assert_int_equal(lines_with("\nplain "), 2);
    assert_int_equal(lines_with("wrote"), 0);
}

static void the_bundled_files_are_not_overwritten(void **state)
{
    const char *k = "common/data/k.npy";

    assert_true(!mkdir("common", 0700) && !mkdir("common/data", 0700));
    put_file(k, "k", 1);
    assert_refused("--out common/data/k.npy", 2, "--out", "is --k's file");
    assert_true(!unlink(k) && !rmdir("common/data") && !rmdir("common"));
}

/* Which may take hours. */
static void outputs_are_tried_before_the_work(void **state)
{
    runs = 0;
    assert_refused("--n 5 --out none/O.npy", 1, "none/O.npy", "cannot write");
    assert_refused("--n 5 --out O.npy --lse none/L.npy", 1, "none/L.npy",
                   "cannot write");
    assert_int_equal(runs, 0);
    assert_runs("--n 5 --out O.npy");
    assert_int_equal(runs, 1);
}

/* --- What it prints ------------------------------------------------------- */

static void list_names_the_steps_of_the_chapter_alone(void **state)
{
    assert_runs("--list");
    assert_string_equal(printed, "plain\tfp32\twithout tiles\n"
                                 "tiled\tfp32\twith tiles\n"
                                 "fast\tbf16\tcounts nothing\n");
}

static void without_step_files_go_through_the_reading_step(void **state)
{
    put_qkv("5 8", "7 8", "7 3");
    assert_runs(FILES "--out O.npy");
    assert_non_null(strstr(printed, "\ntiled "));
    assert_null(strstr(printed, "plain"));
    assert_non_null(strstr(printed, "wrote O.npy (5, 3)\n"));
    assert_runs(FILES "--out O.npy --step earlier");
    assert_non_null(strstr(printed, "\nearlier "));
}

static void the_lines_of_csv_are_what_was_counted(void **state)
{
    const char *want =
        "step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,L,mask,formula,"
        "onchip,extra,exps,rescales,divisions,error,ms\n"
        "plain,2,6,5,7,8,3,,,8192,5100,240,0,0,0,5340,22,0,0,0,0,";
    double error;
    char *rest;

    assert_runs("--batch 2 --heads 6 --kv-heads 3 --n 5 --nk 7 --d 8 --dv 3 "
                "--step plain --csv");
    if (strncmp(printed, want, strlen(want)) != 0)
        fail_msg("want %s\ngot %s", want, printed);
    error = strtod(printed + strlen(want), &rest);
    assert_true(error > 0 && error < 1e-6 && *rest == ',');
    assert_ptr_equal(strchr(strchr(printed, '\n') + 1, '\n'),
                     printed + strlen(printed) - 1);
}

static void csv_leaves_empty_what_a_step_has_not(void **state)
{
    assert_runs("--n 5 --d 8 --step fast --csv");
    assert_non_null(strstr(printed, "\nfast,1,1,5,5,8,8,,,,,,,,,,,,,,,"));
    assert_runs("--n 5 --d 8 --step tiled --br 2 --bc 3 --csv");
    assert_non_null(strstr(printed, "\ntiled,1,1,5,5,8,8,2,3,,"));
    assert_runs("--n 5 --d 8 --step tiled --sram 640 --csv");
    assert_non_null(strstr(printed, "\ntiled,1,1,5,5,8,8,1,10,640,"));
}

static void a_sweep_doubles_up_to_its_option(void **state)
{
    assert_runs("--csv --sweep n --n 300 --d 4 --step plain");
    assert_int_equal(lines_with("\nplain,"), 3); /* 64, 128, 256 */
    assert_int_equal(lines_with("plain,1,1,256,256,4,4,,,8192,"), 1);
    assert_runs("--csv --sweep n --n 128 --d 4 --step plain");
    assert_int_equal(lines_with("\nplain,"), 2); /* 64, 128 */
    assert_runs("--csv --sweep d --n 9 --d 16 --step plain");
    assert_int_equal(lines_with("\nplain,"), 2); /* 8, 16 */
    assert_runs("--csv --sweep sram --n 9 --d 8 --sram 64 --step tiled");
    assert_int_equal(lines_with("\ntiled,"), 2); /* 32, 64 */
    assert_runs("--csv --sweep br --n 9 --d 8 --sram 256 --step tiled");
    assert_int_equal(lines_with("\ntiled,"), 15); /* 1 : 15 ... 15 : 1 */
    assert_int_equal(lines_with("tiled,1,1,9,9,8,8,4,12,256,"), 1);
}

static void a_step_without_tiles_is_swept_once_over_m(void **state)
{
    assert_runs("--csv --sweep sram --n 9 --d 8 --sram 128");
    assert_int_equal(lines_with("\nearlier,"), 1);
    assert_int_equal(lines_with("\ntiled,"), 3);
    assert_int_equal(lines_with("\nplain,"), 1);
    assert_runs("--csv --sweep br --n 9 --d 8 --sram 256");
    assert_int_equal(lines_with("\ntiled,"), 15);
    assert_int_equal(lines_with("\nplain,"), 1);
}

static void a_sweep_that_has_no_line_exits_2(void **state)
{
    assert_refused("--csv --sweep n --n 63", 2, "--sweep",
                   "n begins at 64, beyond 63");
    assert_refused("--csv --sweep d --d 7", 2, "--sweep",
                   "d begins at 8, beyond 7");
    assert_refused("--csv --sweep sram --d 33 --sram 200", 2, "--sweep",
                   "sram begins at 256, beyond 200");
    assert_refused("--csv --sweep br --d 33 --sram 131", 2, "--sweep",
                   "br begins at M = 132, beyond 131");
}

static void a_table_has_a_line_for_each_step(void **state)
{
    assert_runs("--n 5");
    assert_int_equal(lines_with("\nearlier "), 2);
    assert_int_equal(lines_with("\nplain "), 2);
    assert_int_equal(lines_with("\nfast "), 1); /* its traffic is unknown */
    assert_int_equal(lines_with("lesson"), 0);
    assert_int_equal(lines_with("\nTiles, Br x Bc: tiled 1 x 128.\n"), 1);
    assert_int_equal(lines_with("\nnext: ./run --help\n"), 1);
}

static void the_same_seed_gives_the_same_problem(void **state)
{
    npy_array first, second;

    assert_runs("--n 9 --d 4 --seed 3 --out O.npy");
    first = get_array("O.npy", "(1, 1, 9, 4)");
    assert_runs("--n 9 --d 4 --seed 3 --out O.npy");
    second = get_array("O.npy", "(1, 1, 9, 4)");
    assert_memory_equal(first.data, second.data, 36 * sizeof(float));
    npy_free(&second);
    assert_runs("--n 9 --d 4 --seed 4 --out O.npy");
    second = get_array("O.npy", "(1, 1, 9, 4)");
    assert_memory_not_equal(first.data, second.data, 36 * sizeof(float));
    npy_free(&first);
    npy_free(&second);
}

/* With every feature named, the problem alone would need 110 columns. */
static void nothing_printed_is_wider_than_80_columns(void **state)
{
    needs_64_bits();
    assert_runs("--batch 2 --heads 12 --kv-heads 3 --n 9 --nk 10 --d 4 --dv 5 "
                "--causal-offset -1099511627776 --sram 1000000");
    for (const char *line = printed; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 80);
}

/* In uniform rows each of 256 keys would weigh 1/256. */
static void random_rows_are_peaked(void **state)
{
    const random_sizes sizes = {1, 1, 1, 256, 256, 32, 32, 1};
    double largest = 0;
    attention_arrays a;
    head h;

    assert_int_equal(arrays_random(&a, &sizes), 0);
    h = head_at(&a.problem, 0);
    for (size_t i = 0; i < 256; i++) {
        double m = -HUGE_VAL, l = 0;

        for (size_t j = 0; j < 256; j++)
            m = fmax(m, reference_score(&h, i, j));
        for (size_t j = 0; j < 256; j++)
            l += exp(reference_score(&h, i, j) - m);
        largest += 1 / l / 256;
    }
    assert_true(largest > 0.15);
    arrays_free(&a);
}

/* What attention_arrays.h says of them: scores of a standard deviation of about
 * 3, rising for half of the queries; values of 1. */
static void random_problems_are_spread_as_is_said(void **state)
{
    enum { N = 256, D = 32 };
    const random_sizes sizes = {1, 2, 1, N, N, D, D, 5};
    double squares = 0, values = 0, slope = 0;
    attention_arrays a;
    size_t rising = 0;

    assert_int_equal(arrays_random(&a, &sizes), 0);
    for (size_t k = 0; k < 2; k++) {
        head h = head_at(&a.problem, k);

        for (size_t i = 0; i < N; i++) {
            double halves[2] = {0};

            for (size_t j = 0; j < N; j++) {
                double s = reference_score(&h, i, j);

                squares += s * s;
                halves[j >= N / 2] += s / (N / 2);
            }
            rising += halves[1] > halves[0];
            slope += fabs(halves[1] - halves[0]);
        }
    }
    for (size_t i = 0; i < N * D; i++)
        values += pow((double)a.V.data[i], 2);
    assert_close(sqrt(squares / (2 * N * N)), 3.3, 0.4);
    assert_close((double)rising / (2 * N), 0.5, 0.1);
    assert_close(slope / (2 * N), 2.4, 0.4);
    assert_close(sqrt(values / (N * D)), 1, 0.05);
    arrays_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(outputs_have_the_dimensions_of_q),
        in_directory(every_feature_reaches_the_kernel),
        in_directory(without_options_it_is_the_definition),
        in_directory(causal_lets_the_last_query_see_every_key),
        in_directory(extreme_causal_offsets_are_all_or_nothing),
        in_directory(no_keys_give_zeros_and_minus_infinity),
        in_directory(nothing_to_write_is_an_empty_output),
        in_directory(only_no_option_or_csv_alone_is_bare),
        in_directory(more_heads_than_keys_are_asked_about),
        in_directory(shapes_that_do_not_fit_exit_2),
        in_directory(what_a_file_holds_exits_1),
        in_directory(options_that_do_not_go_together_exit_2),
        in_directory(what_is_too_far_or_too_large_exits_2),
        in_directory(a_chapter_with_tables_of_its_own_has_no_M),
        in_directory(a_chapter_of_too_many_steps_is_refused),
        in_directory(where_there_is_one_query_a_tile_bc_stands_alone),
        in_directory(too_small_an_m_exits_2_and_names_the_least),
        in_directory(no_memory_exits_1),
        in_directory(an_output_that_cannot_be_written_leaves_neither),
        in_directory(a_disk_that_is_full_at_the_end_leaves_neither),
        in_directory(asked_nothing_it_tells_the_lesson),
        in_directory(without_an_output_files_have_tables),
        in_directory(the_bundled_files_are_not_overwritten),
        in_directory(outputs_are_tried_before_the_work),
        in_directory(list_names_the_steps_of_the_chapter_alone),
        in_directory(without_step_files_go_through_the_reading_step),
        in_directory(the_lines_of_csv_are_what_was_counted),
        in_directory(csv_leaves_empty_what_a_step_has_not),
        in_directory(a_sweep_doubles_up_to_its_option),
        in_directory(a_step_without_tiles_is_swept_once_over_m),
        in_directory(a_sweep_that_has_no_line_exits_2),
        in_directory(a_table_has_a_line_for_each_step),
        in_directory(the_same_seed_gives_the_same_problem),
        in_directory(nothing_printed_is_wider_than_80_columns),
        in_directory(random_rows_are_peaked),
        in_directory(random_problems_are_spread_as_is_said),
    };

    return run_tests("attention_program", tests);
}
