/*
 * Memory that runs out, at every allocation in turn: whatever failed says so in
 * one line and fails; no file is half written, and nothing is lost (valgrind,
 * ASan). What succeeds all the same has done its work.
 */
#define _GNU_SOURCE

#include "common/testing/starve.h"

#include "common/judge/attention_measure.h"
#include "common/testing/file_check.h"
#include "common/npy/npy.h"
#include "common/program/options.h"
#include "common/program/outputs.h"
#include "common/judge/reference_attention.h"
#include "common/testing/run_tests.h"
#include "common/judge/reference.h"
#include "common/threads.h"

#include <string.h>
#include <unistd.h>

static int read_x(void)
{
    npy_array a;
    int failed = npy_read("x.npy", &a);

    if (!failed && (a.size != 12 || a.data[11] != 0))
        return 2;
    npy_free(&a);
    return failed;
}

static int new_array(void)
{
    npy_array a;
    int failed = npy_new(&a, 2, (const size_t[]){3, 4});

    npy_free(&a);
    return failed;
}

static npy_array written;

/* Of one name, so that either may be the one that is named. */
static int write_both(void)
{
    const char *const paths[] = {"y", "y"};
    const npy_array *const arrays[] = {&written, &written};

    return npy_write_all(2, paths, arrays);
}

static int check_output(void)
{
    option o[] = {FILE_OPTION("out", "", "")};

    o[0].file = "z";
    return outputs_check(o, 0, 1);
}

static int refer(void)
{
    float one = 1, zero = 0;
    array a = {matrix_of(&one, 1, 1), FP32};
    head h = {.Nq = 1,
              .Nk = 1,
              .d = 1,
              .dv = 1,
              .Q = a,
              .K = a,
              .V = a,
              .O = {matrix_of(&zero, 1, 1), FP32},
              .scale = 1};
    double o = 0;

    return reference_attention(&h, &o, NULL) || !(o > 0.99);
}

static int know_truth(void)
{
    float x[4] = {1, 2, 3, 4}, o[4];
    layer l = {
        1, 1, 1, 1, 1, false, {.Nq = 2, .Nk = 2, .d = 2, .dv = 2, .scale = 1}};
    attention_truth truth;
    int failed;

    layer_give(&l, x, x, x, o, NULL);
    failed = truth_of(&l, &truth);
    truth_free(&truth);
    return failed;
}

static void copy_row(softmax_row *r)
{
    memcpy(r->y, r->x, r->n * sizeof *r->y);
}

static int judge(void)
{
    const softmax_step step = {.name = "copy", .run = copy_row};
    const float x[] = {0.5f, 0.5f};
    softmax_verdict v;

    return softmax_judge(&v, &step, 1, x, 1, 2);
}

static int take_some(const void *job, size_t i, memory *mem)
{
    scratch(mem, 1, i + 1);
    return mem->error;
}

static int run_jobs(void)
{
    memory mem;
    int failed;

    memory_init(&mem, MEMORY_UNBOUNDED);
    failed = run_on_threads(take_some, NULL, 9, &mem) != 0;
    if (failed)
        fprintf(stderr, "job: %s\n", mem.message);
    memory_reset(&mem);
    return failed;
}

static void what_lacks_memory_says_so_or_does_without(void **state)
{
    assert_int_equal(npy_new(&written, 2, (const size_t[]){3, 4}), 0);
    assert_int_equal(npy_write("x.npy", &written), 0);
    assert_starves(new_array, "array");
    assert_starves(read_x, "x.npy");
    assert_starves(write_both, "y");
    assert_starves(check_output, "z");
    assert_int_equal(access("z", F_OK), -1);
    assert_starves(refer, NULL);
    assert_starves(know_truth, "float64");
    assert_starves(judge, "softmax");
    npy_free(&written);
}

/* Started before: a thread that cannot be started is OpenMP's affair. */
static void a_thread_without_memory_fails_the_run(void **state)
{
    for (size_t threads = 1; threads <= 3; threads++) {
        use_threads(threads);
        run_jobs();
        assert_starves(run_jobs, "job");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(what_lacks_memory_says_so_or_does_without),
        cmocka_unit_test(a_thread_without_memory_fails_the_run),
    };

    return run_tests("starved", tests);
}
