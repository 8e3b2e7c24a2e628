/*
 * Tests the output, the errors and the exit codes of the programs of all
 * chapters, of their backward passes, and of `flash`.
 */
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define S01   "01_naive_softmax "
#define S02   "02_safe_softmax "
#define S03   "03_online_softmax "
#define A04   "04_tiled_attention "
#define A05   "05_flash1 "
#define B05   "05_flash1/backward "
#define A06   "06_flash2 "
#define B06   "06_flash2/backward "
#define FLASH "tools/flash "
#define R07   "07_cuda "
#define B07   "07_cuda/backward "

static int program(int argc, char **argv)
{
    char path[4096];
    int status = 0;
    pid_t child;

    assert_true(argc > 1);
    snprintf(path, sizeof path, PROGRAMS "/%s/run", argv[1]);
    child = fork();
    if (child == 0) {
        execv(path, argv + 1);
        _exit(127);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The test runs in an empty folder, so the bundled data is missing. */
IN_DIRECTORY(each_command_prints_or_is_refused)
{
    static const command rows[] = {
        {S01 "--trace", 0, NULL, "\nnext: make exercise-01\n"},
        {S01 "--csv", 0, NULL, "kind,softmax,format,x,y\nnear,naive_softmax"},
        {S02 "--trace", 0, NULL, "L = m + ln l = "},
        {S03 "--csv", 0, NULL,
         "rows,storage,step,n,error\nflat,fp32,safe_softmax,16,"},
        {S03 "--trace", 0, NULL, "\nnext: make exercise-03\n"},
        {S03 "--trace --step merged_softmax", 0, NULL, "block 1"},
        {A04 "--csv", 0, NULL,
         "\ntiled_attention,64,32,8192,1,266304,266304\n"},
        {A05 "--trace", 0, NULL,
         "\n     reads              writes     in  out\n"},
        {A05 "--csv", 0, NULL, "\nflash1,500,32,128,1,25032000,25032000\n"},
        {A06 "--csv", 0, NULL, "\nflash2,500,64,16384,120,384500,384500\n"},
        {A04 "--help", 0, NULL, "  --step NAME  this step alone\n"},
        {A05 "-h", 0, NULL, "make flash, then ./flash --help\n"},
        {A04 "--n 64 --step tiled_attention", 0, NULL, "e-07 "}, /* error */
        {A04 "--n 9 --step tiled_attention", 0, NULL, "5,472       297  "},
        {A06 "--n 1500 --d 32 --step flash2_simd", 0, NULL,
         "one in 3 of the 1,500 rows."},
        {A04 "--n 9 --nk 4", 0, NULL, "1 head, 9 queries, 4 keys, d = 32; M ="},
        {A04 "--seed 2 --d=3 --step=tiled_attention", 0, NULL, " keys, d = 3;"},
        {A05 "--n 9 --d 4 --causal --sram 99", 0, NULL, "causal, offset 0; M "},
        {A05 "--n 9 --step flash1", 0, NULL, "by formula   init, L   extra\nf"},
        {A06 "--n 9", 0, NULL, "\nsplit_kv_simd "},
        {A06 "--n 9", 0, NULL, "\nflash2                 1,152     90 "},
        {A06 "--n 9", 0, NULL,
         "\nTiles, Br x Bc: flash1, flash2_deferred 32 x 64; flash2, "
         "flash2_parallel,\nsplit_kv 64 x 32.\n"},
        {A06 "--n 9 --step split_kv", 0, NULL, "   extra\nsplit_kv  "},
        {B05 "--n 9", 0, NULL, "\nflash1_backward "},
        {B06 "--n 9", 0, NULL, "\nbackward_simd "},
        {FLASH "--help", 0, NULL, "Each has its own --help.\n"},
        {FLASH, 2, NULL, "  flash sweep      counts, errors and times"},
        {FLASH "steps", 0, NULL, "naive_softmax\t01\tsoftmax\t"},
        {FLASH "steps", 0, NULL, "\nlazy_rescale\t06\tattention\tflash2; res"},
        {FLASH "steps", 0, NULL, "\nflash2_backward\t06\tbackward\tL in place"},
        {FLASH "attention --n 9 --step flash1", 0, NULL, "\nflash1 "},
        {FLASH "nosuch", 2, "nosuch: no such command (allowed: softmax attent"},
        {FLASH "steps 04", 2, "04: flash steps takes no argument"},
        {S01, 1, "common/data/q.npy: not found from", "e^x is infinite above"},
        {S02, 1, "common/data/q.npy: not found from here (run this program in"},
        {S03, 1, "common/data/q.npy: not found from here"},
        {A04, 1, "common/data/q.npy: not found from here"},
        {A05 "--step flash1", 1, "common/data/q.npy: not found from here"},
        {B05, 1, "common/data/q.npy: not found from here"},
        {A06 "--causal", 1, "common/data/q.npy: not found from here"},
        {B06, 1, "common/data/q.npy: not found from here"},
        {S01 "--n 3", 2, "--n: no such option (allowed: --trace --csv --help)"},
        {S01 "--trac", 2, "--trac: no such option (allowed: --trace --csv"},
        {S01 "--trace --csv", 2, "--csv: not together with --trace"},
        {S02 "--csv", 2, "--csv: no such option (allowed: --trace --help)"},
        {S03 "--csv --step online_softmax", 2, "--csv: not together with --st"},
        {S03 "--step none", 2, "--step: 'none' is not allowed (allowed: onlin"},
        {S03 "--trace --step safe_softmax", 2, "--step: 'safe_softmax' is n"},
        {A04 "--csv --n 5", 2, "--csv: not together with --n"},
        {A04 "--trace --n 5", 2, "--trace: not together with --n"},
        {A05 "--trace --step flash1", 2, "--trace: not together with --step"},
        {A04 "--trace --trace", 2, "--trace: given twice (once is allowed)"},
        {A04 "--trace=yes", 2, "--trace: takes no value"},
        {A04 "--step", 2, "--step: no value (expected: --step NAME)"},
        {A04 "--step=", 2, "--step: no value"},
        {A04 "--step --n 5", 2, "--step: no value"},
        {A04 "--n 5 --step none", 2, "--step: 'none' is not allowed (allowed:"},
        {A06 "--n 5 --step mla", 2, "--step: 'mla' is not allowed (allowed: s"},
        {B06 "--n 5 --step flash2", 2, "--step: 'flash2' is not allowed (allo"},
        {B05 "--step a --step b", 2, "--step: given twice (once is allowed)"},
        {A05 "--n 0", 2, "--n: '0' is not a whole number from 1 to"},
        {A05 "--n 5 --n 5", 2, "--n: given twice"},
        {A05 "--n 18446744073709551615", 2, "--n: 18446744073709551615 is ..."},
        {A04 "--n 100000000", 1, "--n: 100000000 is too large: it needs "},
        {A05 "--n -3", 2, "--n: '-3' is not a whole number from 1"},
        {A05 "--n 9 --nk 100000000000", 1, "--nk: 100000000000 is too large"},
        {A06 "--n 4000000", 1, "--n: 4000000 is too large: ...(allowed: "},
        {B05 "--n 4000000", 1, "--n: 4000000 is too large: it needs "},
        {B06 "--n 4000000", 1, "--n: 4000000 is too large: it needs "},
        {FLASH "attention --n 9 --d 100000000000", 1, "--d: 100000000000 is t"},
        {A05 "--n 5 --sram 3", 2, "--sram: ...memory of 3 elements is too sma"},
        {B06 "--n 5 --sram 3", 2, "--sram: ...memory of 3 elements is too sma"},
        {A06 "x.npy", 2, "x.npy: no such option (allowed: --trace --csv --cau"},
        {A06 "x\033[2J", 2, "x\\x1b[2J: no such option (allowed:"},
        {A06 "''", 2, ": no such option (allowed:"},
    };
    static const char *const help[] = {S01, S02, S03, A04, A05, B05, A06, B06};

    CHECK_COMMANDS(program, rows);
    for (size_t k = 0; k < sizeof help / sizeof *help; k++) {
        char line[40];

        snprintf(line, sizeof line, "%s--help", help[k]);
        printed_by(program, line);
    }
}

TEST(the_bundled_data_is_found)
{
    static const command rows[] = {
        {S01, 0, NULL,
         "naive_softmax of real scores, Q K^T / sqrt(d): 3012 rows of 251\n"},
        {S01, 0, NULL,
         "\ntimes 5       -115.91     78.12           0        2"},
        {S02, 0, NULL, "\ntimes 20      naive_softmax        2105        2  "},
        {S03, 0, NULL, "\nRandom rows of 16,384 scores: error against"},
        {FLASH "precision attention --rows real --types bf16 --steps flash2 "
               "--csv",
         0, NULL, "\nattention,real,bf16,flash2,251,32,64,12,1,1.7"},
        {A05 "--step flash1", 0, NULL,
         "12 heads, 251 queries, 251 keys, d = 32; M = 8,192"},
    };

    CHECK_COMMANDS(program, rows);
}

TEST(the_lessons_are_readable_and_end_with_commands)
{
    static const char *const all[] = {S01, S02, S03, A04, A05, B05, A06, B06};

    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_non_null(strstr(printed_by(program, all[k]), "\nnext: "));
}

TEST(chapter_07_explains_its_trace_and_times)
{
    static const command rows[] = {
        {R07 "--trace", 0, NULL, "  31  31\n\nThe 32 lanes of a warp"},
        {R07 "--trace", 0, NULL, "\nnext: make exercise-07\n  or: ./run\n"},
        {R07 "--n 9", 0, NULL, "\n5a   sliced_k "},
        {R07 "--n 9", 0, NULL, "\nThe times are the emulator's, on this CPU."},
        {B07 "--trace", 0, NULL, "\n  or: ./run\n"},
        {B07 "--n 9", 0, NULL, "\nThe times are the emulator's, on this CPU."},
    };

    if (access(PROGRAMS "/07_cuda/run", X_OK) != 0)
        skip();                        /* chapter 07 is left out */
    setenv("CUDA_ON_CPU", "count", 1); /* even if there is a GPU */
    CHECK_COMMANDS(program, rows);
}

/* --- Traces --------------------------------------------------------------- */

/* Fails unless the command's output contains all texts of `wanted`. A run of
 * blanks counts as one blank. */
static void check_trace(const char *line, const char *const wanted[])
{
    char text[16000];
    size_t n = 0;

    for (const char *c = printed_by(program, line); *c; c++)
        if ((*c != ' ' || c[1] != ' ') && n + 1 < sizeof text)
            text[n++] = *c;
    text[n] = '\0';
    for (; *wanted; wanted++)
        if (!strstr(text, *wanted))
            fail_msg("%s: does not print %s", line, *wanted);
}
#define TRACE(of, ...)                                                         \
    check_trace(of "--trace", (const char *const[]){__VA_ARGS__, NULL})

/* Query 0 has the scores 1 0 in the first tile and 2 1 in the second. So m
 * grows from 1 to 2, and l from 1 + e^-1 to (1 + e^-1) e^-1 + 1 + e^-1. o
 * changes from (e, 1) / (e + 1) to (e + 2 e^2, 1 + 2 e) / (e + 1 + e^2 + e),
 * which is (1.2655, 0.4656). The unnormalised o is
 * e^-1 (1, e^-1) + (2, 2 e^-1) = (2.3679, 0.8711). */
IN_DIRECTORY(the_forward_traces_equal_results_by_hand)
{
    TRACE(A04,
          " row 0 1 0 1 0 1 0\n row 1 0 1 0 1 0 1\n row 2 1 1 2 1 2 0\n"
          " row 3 -1 0 1 2 0 2\n\nStandard attention: a whole row of S",
          "\n\nTiled attention: two keys at a time\nquery ",
          "1.8711 0.1966 0.0723 0.5344 0.1966 1.2655 0.4656\n",
          "1 1.3679 0.7311 0.2689\n", "0.3679 1 1.8711 1.2655 0.4656\n",
          "This O equals the O of standard_attention, bit for bit.\n",
          "This O equals the O of tiled_attention, bit for bit.\n");
    TRACE(A05, "column by column\n\n K0 K1\n Q0 1 3\n Q1 2 4\n\n reads",
          "1 (0,0) 0 1 0", "3 (0,1) 0 2 1", "0.3679 1 1.8711 1.2655 0.4656\n",
          "This O equals the O of flash1, bit for bit.\n",
          " 3 K1 V1 Q0 O0 m0 l0 O0 m0 l0 52 40\n");
    TRACE(A06, "1.8711 2.3679 0.8711\n", "1.2655 0.4656 2.6265\n",
          "This O equals the O of flash2, bit for bit.\n",
          " 3 Q1 K0 V0 - 32 6\n");
}

/* Query 0 has the scores 1 0 2 1. So L is ln(2e + 1 + e^2) = 2.6265, and p of
 * key 0 is e / 13.8256 = 0.1966. dO is (1, 0). So dp is the first column of V,
 * 1 0 2 0, and D is the first element of o, 1.2655. ds of key 0 is
 * 0.1966 (1 - 1.2655). Both backward traces print these lines: */
#define BOTH                                                                   \
    " 0 1 0 1.2655 0.4656 1.2655 2.6265\n",                                    \
        " 1 (0,0) 0 0.1966 0.0723 1 0 -0.0522 -0.0915 -0.0522 -0.0915\n",      \
        " 3 (0,1) 0 0.5344 0.1966 2 0 0.3925 -0.2488 0.4841 -0.1966\n",        \
        " 0 0.4841 -0.1966 -0.4166 -0.1440 0.4528 -0.0647\n",                  \
        " 3 0.4081 -0.5898 0.0816 0.4450 0.8336 0.7782\n"
IN_DIRECTORY(the_backward_traces_equal_results_by_hand)
{
    TRACE(B05, BOTH);
    TRACE(B06, BOTH, "dQ 0 0.4841 -0.1966\n", "D 0 1.2655\n",
          "dV 3 0.8336 0.7782\n");
}
