/* Tests the commands of `flash` when one of their allocations fails. */
#define _GNU_SOURCE

#include "common/testing/failing_malloc.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"
#include "common/threads.h"
#include "tools/flash/commands.h"

#include <unistd.h>

static program_fn *tested;
static long failing; /* number of the allocation that fails; negative: none */
static bool had_failure;
static int status;

static int with_failure(int argc, char **argv)
{
    fail_allocation(failing);
    status = tested(argc, argv);
    had_failure = end_failures();
    return status;
}

static const char *printed(const char *line)
{
    return printed_or_refused(with_failure, line, "...memory");
}

/* Runs the command repeatedly. In run n allocation n fails. Then the command
 * must print one line "...memory" and write no file, or have the exit code that
 * it has without a failure. */
static void check_each_failure(program_fn *program, const char *line)
{
    size_t refused = 0;
    int usual;

    tested = program;
    failing = -1;
    assert_non_null(printed(line));
    usual = status;
    do {
        assert_true(++failing < 1000);
        unlink("new");
        if (printed(line)) {
            assert_int_equal(status, usual);
        } else {
            assert_int_not_equal(status, 0);
            assert_int_not_equal(access("new", F_OK), 0);
            refused++;
        }
    } while (had_failure);
    unlink("new");
    assert_true(refused > 0);
}

#define ATTENTION "--q q --k k --v k "
IN_DIRECTORY(a_command_without_memory_prints_one_line)
{
    use_threads(1);
    put_numbers("q", "3x2", NULL);
    put_numbers("k", "5x2", NULL);
    put_numbers("m", "3x5", NULL);
    put_numbers("l", "3", NULL);
    put_numbers("s", "1", NULL);
    printed_by(attention_command, ATTENTION "--out o");
    check_each_failure(softmax_command, "--in k --out new");
    check_each_failure(attention_command, ATTENTION "--out new");
    check_each_failure(judge_command, ATTENTION "--o o");
    check_each_failure(judge_command, ATTENTION "--o q");
    check_each_failure(judge_command, ATTENTION "--o o --lse l --sink s");
    check_each_failure(judge_command, ATTENTION "--dq q --dv k");
    check_each_failure(backward_command, ATTENTION "--grad-k new --mask m");
    check_each_failure(sweep_command, "--n 4 --d 2 --steps flash2");
    check_each_failure(precision_command, "softmax --n 4 --types fp32");
    check_each_failure(precision_command,
                       "attention --n 4 --d 2 --types fp32 --steps flash2 "
                       "--rows normal:1,sorted:1");
    unlink("o");
}
