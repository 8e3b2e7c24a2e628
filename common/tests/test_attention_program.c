/*
 * The program of chapters 04 to 06, with steps of the test's own: what it
 * computes, writes, prints and refuses, and how it exits.
 */
#include "common/testing/assert_close.h"
#include "common/npy/npy.h"
#include "common/program/attention_program.h"
#include "common/testing/file_check.h"
#include "common/judge/reference_attention.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- A chapter ------------------------------------------------------------ */

static size_t runs;

static counts traffic(const head *h, tile_sizes t)
{
    size_t pairs = 0;

    (void)t;
    for (size_t i = 0; i < h->Nq; i++)
        pairs += seen(h, one(i));
    return (counts){
        .read[ALGORITHM] = h->Nq * h->d + pairs * (h->d + h->dv),
        .written[ALGORITHM] = h->Nq * (h->dv + 1),
        .written[INIT] = 1,
        .read[LSE] = 2,
        .read[MASK] = h->rule.mask.hbm.data ? pairs : 0,
        .exps = 4,
        .rescales = 5,
        .divisions = 6,
    };
}

/* The oracle; a row of each of Q, K, V and O on chip. */
static int attend(const head *h, memory *mem)
{
    size_t n = h->Nq * h->dv;
    double *O = calloc(n + h->Nq + 1, sizeof *O), *L = O + n;
    counts all = traffic(h, (tile_sizes){0, 0});
    head seen_by_kernels = *h;

    runs++;
    seen_by_kernels.rule.sink = NULL; /* merged by step_run */
    assert_non_null(O);
    on_chip(mem, 2, h->d + h->dv);
    hbm_scratch(mem, 3, 1, FP32);
    counts_add(&mem->counts, &all);
    if (!mem->error) {
        assert_int_equal(reference_attention(&seen_by_kernels, O, L), 0);
        for (size_t i = 0; i < n; i++)
            h->O.hbm.data[i] = (float)O[i];
        for (size_t i = 0; i < h->Nq; i++)
            h->L.hbm.data[i] = (float)L[i];
    }
    free(O);
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
    return (tile_sizes){h->tile.Br ? h->tile.Br : 1,
                        h->tile.Bc ? h->tile.Bc : M / 64};
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
static const attention_step elsewhere[] = {
    {.name = "far", .idea = "on a machine", .run = attend_elsewhere},
    {0},
};
static const attention_step *const before[] = {&earlier, NULL};

static int lesson(const layer *p, size_t M, const measurement m[])
{
    printf("lesson of %zu queries, M = %zu, %s\n", p->each.Nq, M, m->name);
    return 0;
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

static int program(int argc, char **argv)
{
    return attention_program(&chapter, NULL, argc, argv);
}

/* Those numbers in a file, or -1, -1/8, 6/8, ...; the shape as "2x3x4". */
static void put_numbers(const char *path, const char *shape,
                        const float *numbers)
{
    size_t sizes[8], dims = 0;
    char *next = (char *)shape;
    npy_array a;

    do
        sizes[dims++] = strtoul(next, &next, 10);
    while (*next++ == 'x');
    assert_int_equal(npy_new(&a, dims, sizes), 0);
    for (size_t i = 0; i < a.size; i++)
        a.data[i] = numbers ? numbers[i] : (float)(i * 7 % 16) / 8 - 1;
    assert_int_equal(npy_write(path, &a), 0);
    npy_free(&a);
}

/* Files that are called as the shapes that they have: each such word. */
static void put_arrays(const char *line)
{
    char copy[400];

    snprintf(copy, sizeof copy, "%s", line);
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        if (strspn(w, "0123456789x") == strlen(w) && strchr(w, 'x'))
            put_numbers(w, w, NULL);
}

#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

static void check_rows(const command rows[], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        put_arrays(rows[k].line);
        check_commands(program, &rows[k], 1);
    }
}

/* How often text is in what the line prints. */
static size_t times(const char *text, const char *line)
{
    size_t n = 0;

    put_arrays(line);
    for (const char *at = printed_by(program, line); (at = strstr(at, text));
         at++)
        n++;
    return n;
}

static npy_array get_array(const char *path)
{
    npy_array a;

    assert_int_equal(npy_read(path, &a), 0);
    return a;
}

#define FILES "--q 5x8 --k 7x8 --v 7x3 "

/* --- What it computes ----------------------------------------------------- */

#define OUT         " --out O.npy --lse L.npy"
#define WROTE(O, L) "\nwrote O.npy (" O ")\nwrote L.npy (" L ")\n"
IN_DIRECTORY(outputs_have_the_dimensions_of_q)
{
    const command rows[] = {
        {FILES OUT, 0, NULL, WROTE("5, 3", "5,")},
        {"--q 6x5x8 --k 2x7x8 --v 2x7x3" OUT, 0, NULL,
         WROTE("6, 5, 3", "6, 5")},
        {"--q 0x3x5x8 --k 0x3x7x8 --v 0x3x7x2" OUT, 0, NULL,
         WROTE("0, 3, 5, 2", "0, 3, 5")},
        {"--q 0x8 --k 7x8 --v 7x3" OUT, 0, NULL, WROTE("0, 3", "0,")},
        {"--q 5x8 --k 7x8 --v 7x0" OUT, 0, NULL, WROTE("5, 0", "5,")},
        {"--n 5 --nk 0 --dv 0" OUT, 0, NULL, WROTE("1, 1, 5, 0", "1, 1, 5")},
        {"--n 0 --batch 0 --heads 0 --kv-heads 0" OUT, 0, NULL,
         WROTE("0, 0, 0, 32", "0, 0, 0")},
    };

    CHECK(rows);
}

/* Head nth of what the line computes, with the rule of h, against the oracle on
 * the files of Q, K and V that it begins with. */
static void check_head(const char *line, head h, size_t nth, size_t key_head)
{
    npy_array all[5];
    char files[3][20];
    double want[5 * 3], want_L[5];

    put_arrays(line);
    printed_by(program, line);
    sscanf(line, "--q %19s --k %19s --v %19s", files[0], files[1], files[2]);
    for (size_t a = 0; a < 5; a++)
        all[a] = get_array(a < 3 ? files[a] : a == 3 ? "O.npy" : "L.npy");
    h.Nq = 5, h.Nk = 7, h.d = 8, h.dv = 3;
    h.Q.hbm = matrix_of(all[0].data + nth * 40, 5, 8);
    h.K.hbm = matrix_of(all[1].data + key_head * 56, 7, 8);
    h.V.hbm = matrix_of(all[2].data + key_head * 21, 7, 3);
    assert_int_equal(reference_attention(&h, want, want_L), 0);
    assert_all_close(all[3].data + nth * 15, want, 15, 1e-6);
    assert_all_close(all[4].data + nth * 5, want_L, 5, 1e-6);
    for (size_t a = 0; a < 5; a++)
        npy_free(&all[a]);
}

/* From the files alone; head 4 of entry 1 has key head 2 of 3 and a mask of its
 * own. */
IN_DIRECTORY(every_feature_reaches_the_kernel)
{
    float blocks[] = {1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1};
    npy_array M, S;

    put_arrays("2x6x5x7");
    put_numbers("S.npy", "6", NULL);
    put_numbers("B.npy", "3x4", blocks);
    M = get_array("2x6x5x7");
    S = get_array("S.npy");
    check_head(
        "--q 2x6x5x8 --k 2x3x7x8 --v 2x3x7x3 --mask 2x6x5x7 "
        "--scale -0.75 --softcap 1.5 --causal-offset 1 --window 3 "
        "--alibi --sink S.npy --block-mask B.npy --block-size 2" OUT,
        (head){
            .rule.mask = hbm_of(M.data + 10 * 35, 5, 7),
            .scale = -0.75f,
            .rule.softcap = 1.5f,
            .rule.causal = true,
            .rule.offset = 1,
            .rule.window = 3,
            .rule.slope = exp2f(-8 * 5 / 6.0f), /* of the fifth of 6 heads */
            .rule.sink = S.data + 4,
            .rule.blocks = {.of = matrix_of(blocks, 3, 4), .size = 2},
        },
        10, 5);
    npy_free(&M);
    npy_free(&S);
}

/* Scale 1/sqrt(d), and nothing else. Causal: the last query sees every key. */
IN_DIRECTORY(without_options_it_is_the_definition)
{
    head h = {.scale = 1 / sqrtf(8)};

    check_head(FILES OUT, h, 0, 0);
    h.rule.causal = true;
    h.rule.offset = 2;
    check_head(FILES OUT " --causal", h, 0, 0);
    check_head(FILES OUT " --causal-offset 2", h, 0, 0);
}

/* --- What it refuses ------------------------------------------------------ */

#define GROUPED "--q 2x6x5x8 --k 2x3x7x8 --v 2x3x7x8 "
IN_DIRECTORY(problems_that_do_not_fit_exit_2)
{
    const command rows[] = {
        {GROUPED, 0, NULL, NULL},
        {"--q 2x0x5x8 --k 2x3x7x8 --v 2x3x7x8", 0, NULL, NULL},
        {"--q 2x6x5x8 --k 2x4x7x8 --v 2x4x7x8", 2, "2x4x7x8",
         "shape (2, 4, 7, 8) does not fit 2x6x5x8 (2, 6, 5, 8) (Q has a whole "
         "multiple of K's heads; of (B, N, H, d) swap axes 1 and 2)"},
        {"--q 2x6x5x8 --k 2x0x7x8 --v 2x0x7x8", 2, "2x0x7x8", "a whole mult"},
        {"--q 5x0 --k 7x0 --v 7x3", 2, "5x0", "(d, the last, is at least 1)"},
        {"--q 5x8 --k 7x8 --v 1x1x1x7x3", 2, "1x1x1x7x3",
         "shape (1, 1, 1, 7, 3) (2, 3 or 4 dimensions"},
        {"--q 1x5x8 --k 7x8 --v 7x3", 2, "7x8", "(Q, K, V have as many dim"},
        {"--q 5x8 --k 7x9 --v 7x3", 2, "7x9",
         "shape (7, 9) does not fit 5x8 (5, 8) (d, the last, is the same"},
        {"--q 5x8 --k 7x8 --v 6x3", 2, "6x3",
         "shape (6, 3) does not fit 7x8 (7, 8) (Nk, the last but one"},
        {"--q 2x6x5x8 --k 3x6x7x8 --v 2x6x7x3", 2, "3x6x7x8", "(B, the first"},
        {"--q 2x6x5x8 --k 2x6x7x8 --v 1x6x7x3", 2, "1x6x7x3", "(B, the first"},
        {"--q 2x6x5x8 --k 2x3x7x8 --v 2x6x7x3", 2, "2x6x7x3",
         "shape (2, 6, 7, 3) does not fit 2x3x7x8 (2, 3, 7, 8) (K and V have"},
        {GROUPED "--mask 5x7", 0, NULL, NULL},
        {GROUPED "--mask 6x5x7", 0, NULL, NULL},
        {GROUPED "--mask 2x1x5x7", 0, NULL, NULL},
        {GROUPED "--mask 1x6x5x7", 0, NULL, NULL},
        {GROUPED "--mask 1x1x1x5x7", 2, "1x1x1x5x7", "(2, 3 or 4 dimensions"},
        {GROUPED "--mask 1x7", 2, "1x7", "(a mask has Nq rows"},
        {GROUPED "--mask 5x1", 2, "5x1", "(a mask's last is Nk"},
        {GROUPED "--mask 2x5x7", 2, "2x5x7",
         "shape (2, 5, 7) does not fit 2x6x5x8 (2, 6, 5, 8) (leading ones"},
        {GROUPED "--mask 3x6x5x7", 2, "3x6x5x7", "(leading ones"},
        {"--n 5 --mask 5x6", 2, "5x6",
         "shape (5, 6) does not fit K (1, 1, 5, 32)"},
        {"--n 5 --sink 5x6", 2, "5x6", "shape (5, 6) (sinks are"},
        {"--n 9 --block-mask 5x6 --block-size 2", 2, "5x6",
         "9 queries and 9 keys in blocks of 2 need (5, 5)"},
        {"--n 9 --nk 11 --block-mask 5x6 --block-size 2", 2, "5x6",
         "-1 for block (0, 0) (0 or 1 are allowed)"},
        {"--n 5 --d 8 --sram 31 --step plain", 2, "--sram",
         "(allowed: at least 32)"},
        {"--n 5 --d 8 --sram 32 --step plain", 0, NULL, NULL},
    };

    CHECK(rows);
}

IN_DIRECTORY(what_cannot_be_read_or_written_exits_1)
{
    const command rows[] = {
        {"--q 5x8 --k 7x8 --v text --out O.npy", 1, "text", ""},
        {"--q 5x8 --k none --v 7x3 --out O.npy", 1, "none", "cannot open"},
        {FILES "--mask none --out O.npy", 1, "none", "cannot open"},
        {"--step plain", 1, "common/data/q.npy", "not found from here"},
        {"", 1, "common/data/q.npy", "not found from here"},
        {FILES "--out O.npy --lse none/L.npy", 1, "none/L.npy", "cannot write"},
        {"--n 5 --out none/O.npy", 1, "none/O.npy", "cannot write"},
    };

    put_file("text", "no array", 8);
    runs = 0;
    CHECK(rows);
    assert_int_equal(runs, 0); /* tried before the work, of perhaps hours */
    printed_by(program, "--n 5 --out O.npy");
    assert_int_equal(runs, 1);
}

IN_DIRECTORY(options_that_do_not_go_together_exit_2)
{
    const command rows[] = {
        {"--q 5x8 --k 7x8 --out O.npy", 2, "--v", "is missing"},
        {FILES "--n 5 --out O.npy", 2, "--n", "not together with --q"},
        {FILES "--seed 5 --csv", 2, "--seed", "not together with --q"},
        {FILES "--csv --out O.npy", 2, "--csv", "not together with --out"},
        {FILES "--csv --sweep n", 2, "--sweep", "n is fixed by --q"},
        {FILES "--lse L.npy", 2, "--lse", "only with --out"},
        {FILES "--out L.npy --lse ./L.npy", 2, "--lse", "is --out's file"},
        {"--sweep n", 2, "--sweep", "only with --csv"},
        {"--csv --sweep m", 2, "--sweep", "no 'm' here"},
        {"--csv --sweep n --mask M.npy", 2, "--sweep", "with --mask"},
        {"--csv --sweep sram --br 2 --bc 2", 2, "--sweep", "with --br"},
        {"--list --trace", 2, "--list", "not together with --trace"},
        {"--trace --n 5", 2, "--trace", "not together with --n"},
        {"--br 4", 2, "--br", "only together with --bc"},
        {"--bc 4", 2, "--bc", "only together with --br"},
        {"--br 4 --bc 4 --sram 100", 2, "--bc", "not together with --sram"},
        {"--step plain --br 4 --bc 4", 2, "--bc", "plain has no tiles"},
        {"--step fast --sram 999", 2, "--sram", "fast counts no traffic"},
        {"--step none", 2, "--step", "no 'none' here (one of: earlier plain"},
        {"--causal --causal-offset 3", 2, "--causal", "with --causal-offset"},
        {"--softcap 0", 2, "--softcap", "not above 0"},
        {"--n 5 --sink nan", 2, "--sink",
         "'nan' is neither a number finite in"},
        {"--n 5 --sink=\t3", 2, "--sink", "'\\x093' is neither"},
        {"--n 5 --sink no.npy", 2, "--sink", "nor a file"},
        {"--block-size 4", 2, "--block-size", "only with --block-mask"},
        {"--csv --sweep n --block-mask M.npy", 2, "--sweep",
         "with --block-mask"},
        {"--sram 0", 2, "--sram", "not a whole number from 1"},
        {"--heads 6 --kv-heads 4", 2, "--kv-heads",
         "6 query heads cannot share"},
        {"--csv --sweep n --n 63", 2, "--sweep", "n begins at 64, beyond 63"},
        {"--csv --sweep sram --d 33 --sram 200", 2, "--sweep",
         "sram begins at 256, beyond 200"},
        {"--csv --sweep br --d 33 --sram 131", 2, "--sweep",
         "br begins at M = 132, beyond 131"},
    };

    CHECK(rows);
}

IN_DIRECTORY(what_is_too_far_or_too_large_exits_2)
{
    const command rows[] = {
        {"--n 5 --alibi --causal-offset 3000000000000000000", 2,
         "--causal-offset", "is too far for --alibi"},
        {"--n 4 --d 18446744073709551615", 2, "--d", "18446744073709551615 is"},
        {"--n 0 --dv 18446744073709551615 --csv", 2, "--dv", "is too large"},
        {"--n 4294967296 --d 4294967296 --csv", 2, "--nk", "is too large"},
        {"--q 0x2305843009213693951 --k 0x2305843009213693951 --v 0x1", 2,
         "--d", "is too large"},
        {"--batch 18446744073709551615", 2, "--batch", "is too large"},
        {"--heads 18446744073709551615", 2, "--heads", "is too large"},
        {"--n 18446744073709551615 --nk 1", 2, "--n", "is too large"},
        {"--n 4 --d 72057594037927937 --csv", 2, "--d", "is too large"},
        {"--heads 0 --kv-heads 9223372036854775808", 2, "--kv-heads",
         "too large"},
    };

    needs_64_bits();
    CHECK(rows);
}

static void own_tables(const measurement m[], size_t n)
{
    printf("%zu of my own, first %s\n", n, m->name);
}

IN_DIRECTORY(a_chapter_with_tables_of_its_own_has_no_M)
{
    const command rows[] = {
        {"--n 5 --sram 99", 2, "--sram", "no such option"},
        {"--n 5 --br 2 --bc 2", 2, "--br", "no such option"},
        {"--csv --sweep sram", 2, "--sweep", "(one of: n d)"},
        {"--csv --sweep br", 2, "--sweep", "(one of: n d)"},
        {"--csv --sweep n " FILES, 2, "--sweep", "no sweep is allowed"},
        {"--n 5", 0, NULL, "d = 32\n\n1 of my own, first far\n"},
    };
    const way usual = chapter;

    chapter.tables = own_tables;
    chapter.before = NULL;
    chapter.own = elsewhere;
    chapter.reading = 0;
    CHECK(rows);
    assert_int_equal(times("M =", "--n 5"), 0);
    assert_int_equal(times("sram", "--help"), 0);
    chapter = usual;
}

IN_DIRECTORY(where_there_is_one_query_a_tile_bc_stands_alone)
{
    const command rows[] = {
        {"--n 5 --br 4 --bc 4", 2, "--br", "one query at a time"},
        {"--n 5 --bc 4 --sram 99", 2, "--bc", "with --sram"},
        {"--n 5 --bc 4 --step tiled --csv", 0, NULL,
         "\ntiled,1,1,5,5,32,32,1,4,,"},
    };

    chapter.one_query = true;
    CHECK(rows);
    chapter.one_query = false;
}

/* --- The bundled problem -------------------------------------------------- */

IN_DIRECTORY(asked_nothing_it_tells_the_lesson_of_the_bundled_files)
{
    const char *const files[] = {"common/data/q.npy", "common/data/k.npy",
                                 "common/data/v.npy"};
    const command rows[] = {
        {"", 0, NULL,
         "\nlesson of 5 queries, M = 8192, earlier\n\nnext: go on\n"},
        {"--out common/data/k.npy", 2, "--out", "is --k's file"},
    };

    assert_true(!mkdir("common", 0700) && !mkdir("common/data", 0700));
    for (size_t k = 0; k < 3; k++)
        put_numbers(files[k], "3x5x8", NULL);
    CHECK(rows);
    assert_int_equal(times("\nplain ", ""), 2);
    assert_int_equal(times("lesson", "--causal"), 0);
    for (size_t k = 0; k < 3; k++) /* a teardown removes no folders */
        assert_int_equal(unlink(files[k]), 0);
    assert_true(!rmdir("common/data") && !rmdir("common"));
}

/* --- What it prints ------------------------------------------------------- */

IN_DIRECTORY(each_mode_prints_what_is_its_own)
{
    const command rows[] = {
        {"--trace", 0, NULL, "trace\n"},
        {FILES "--out O.npy", 0, NULL, "\ntiled "},
        {FILES "--out O.npy", 0, NULL, "\nwrote O.npy (5, 3)\n"},
        {FILES "--out O.npy --step earlier", 0, NULL, "\nearlier "},
        {"--n 5", 0, NULL, "\nTiles, Br x Bc: tiled 1 x 128.\n"},
        {"--n 5", 0, NULL, "\nnext: ./run --help\n"},
        {"--n 5 --d 8 --step fast --csv", 0, NULL,
         "\nfast,1,1,5,5,8,8,,,,,,,,,,,,,,,"},
        {"--n 5 --d 8 --step tiled --br 2 --bc 3 --csv", 0, NULL,
         "\ntiled,1,1,5,5,8,8,2,3,,"},
        {"--batch 2 --heads 6 --kv-heads 3 --n 5 --nk 7 --d 8 --dv 3 "
         "--step plain --csv --mask 5x7",
         0, NULL,
         "step,B,H,Nq,Nk,d,dv,Br,Bc,M,hbm_read,hbm_written,init,L,mask,"
         "formula,onchip,extra,exps,rescales,divisions,error,ms\n"
         "plain,2,6,5,7,8,3,,,8192,5100,240,12,24,420,5340,22,3,48,60,72,"},
        {"--n 5 --d 8 --step tiled --sram 640 --csv", 0, NULL,
         "\ntiled,1,1,5,5,8,8,1,10,640,"},
    };

    CHECK(rows);
    assert_string_equal(printed_by(program, "--list"),
                        "plain\tfp32\twithout tiles\n"
                        "tiled\tfp32\twith tiles\n"
                        "fast\tbf16\tcounts nothing\n");
}

/* A sweep doubles up to its option; over M a step without tiles is swept
 * once. Traffic that is not known has no line. */
#define ASKED "If it is (B, N, H, d)"
IN_DIRECTORY(each_step_has_its_lines)
{
    const struct {
        const char *line, *text;
        size_t times;
    } rows[] = {
        {"--n 5", "\nearlier ", 2},
        {"--n 5", "\nplain ", 2},
        {"--n 5", "\nfast ", 1},
        {FILES, "\nplain ", 2},
        {FILES, "wrote", 0},
        {FILES "--out O.npy", "plain", 0},
        {FILES "--out O.npy", "  -  ", 1}, /* no error: that takes longer */
        /* (B, N, H, d) fits too, as another problem: N heads of H keys. The
         * last is decoding. */
        {"--q 1x9x4x8 --k 1x9x4x8 --v 1x9x4x8 --out O.npy", ASKED, 1},
        {"--q 1x4x9x8 --k 1x4x9x8 --v 1x4x9x8 --out O.npy", ASKED, 0},
        {"--q 1x9x1x8 --k 1x9x9x8 --v 1x9x9x8 --out O.npy", ASKED, 0},
        {"--csv --sweep n --n 64 --nk 9 --d 4 --step plain",
         "\nplain,1,1,64,9,4,4,", 1},
        {"--csv --sweep n --n 300 --d 4 --step plain", "\nplain,", 3},
        {"--csv --sweep d --n 9 --d 16 --step plain", "\nplain,", 2},
        {"--csv --sweep sram --n 9 --d 8 --sram 64 --step tiled", "\ntiled,",
         2},
        {"--csv --sweep sram --n 9 --d 8 --sram 128", "\nearlier,", 1},
        {"--csv --sweep sram --n 9 --d 8 --sram 128", "\ntiled,", 3},
        {"--csv --sweep br --n 9 --d 8 --sram 256", "\ntiled,", 15},
        {"--csv --sweep br --n 9 --d 8 --sram 256", "\nplain,", 1},
        {"--csv --sweep br --n 9 --d 8 --sram 256",
         "tiled,1,1,9,9,8,8,4,12,256,", 1},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t got = times(rows[k].text, rows[k].line);

        if (got != rows[k].times)
            fail_msg("./run %s: \"%s\" %zu times, want %zu", rows[k].line,
                     rows[k].text, got, rows[k].times);
    }
}

/* With every feature named, the problem alone would need 110 columns. */
IN_DIRECTORY(nothing_printed_is_wider_than_80_columns)
{
    needs_64_bits();
    assert_80_columns(printed_by(
        program, "--batch 2 --heads 12 --kv-heads 3 --n 9 --nk 10 --d 4 --dv 5 "
                 "--causal-offset -1099511627776 --sram 1000000"));
}

/* Rows are peaked, as attention_arrays.h says: in uniform ones each of 256 keys
 * would weigh 1/256. And half of them rise. */
IN_DIRECTORY(random_problems_are_spread_as_is_said)
{
    enum { N = 256 };
    const random_sizes sizes = {1, 2, 1, N, N, 32, 32, 5};
    double p[N], m, l, squares = 0, largest = 0;
    attention_arrays a;
    size_t rising = 0;

    assert_int_equal(arrays_random(&a, &sizes), 0);
    for (size_t i = 0; i < 2 * N; i++) {
        head h = head_at(&a.layer, i / N);
        double halves[2] = {0};

        reference_weights(&h, i % N, p, &m, &l);
        largest += 1 / l / (2 * N);
        for (size_t j = 0; j < N; j++) {
            double s = reference_score(&h, i % N, j);

            squares += s * s;
            halves[j >= N / 2] += s;
        }
        rising += halves[1] > halves[0];
    }
    assert_true(largest > 0.15);
    assert_close(sqrt(squares / (2 * N * N)), 3.3, 0.4);
    assert_close((double)rising / (2 * N), 0.5, 0.1);
    arrays_free(&a);
}
