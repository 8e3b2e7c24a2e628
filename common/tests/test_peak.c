/* Tests that the measured loops do all their work. */
#include "common/speed/peak.h"

#include "common/testing/edge.h"
#include "common/testing/run_tests.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define X(target) &peak_loops_##target,
static const peak_loops *const loops[] = {TARGETS};
#undef X

/* The sum of n floats of 1 is exact. n rounds add 2^-30 to their sums, n flops
 * / 2 times in all, which is exact for fewer than 2^24 additions. */
TEST(every_float_is_read_and_every_multiply_add_done)
{
    static float x[3003];

    for (size_t i = 0; i < 3003; i++)
        x[i] = 1;
    for (size_t t = 0; t < target_count(); t++)
        for (size_t n = 0; target_runs(t) && n <= 3003; n += n < 300 ? 1 : 39) {
            float products = (float)(n % 100 * (loops[t]->flops / 2));

            assert_true(loops[t]->sum(x, n) == (float)n);
            assert_true(loops[t]->multiply_add(n % 100) == products * 0x1p-30f);
        }
}

/* The lower bounds also hold under valgrind. No core reaches the upper
 * bounds. */
TEST(measured_peaks_are_plausible)
{
    static float x[100003];

    assert_true(peak_flops(1) > 1e6 && peak_flops(1) < 1e12);
    assert_true(peak_flops(2) > 1e6);
    assert_true(peak_read(2, x, 100003) > 1e5);
    assert_true(peak_read(2, x, 100003) < 1e13);
    assert_true(peak_flops(0) == 0 && peak_read(0, x, 100003) == 0);
}

/* One thread's clock is its processor time, so that other programs do not
 * count. */
TEST(the_clock_of_one_thread_stops_while_it_sleeps)
{
    struct timespec pause = {.tv_nsec = 50000000};
    double start = speed_clock(1), start_of_two = speed_clock(2);

    nanosleep(&pause, NULL);
    assert_true(speed_clock(1) - start < 0.04);
    assert_true(speed_clock(2) - start_of_two >= 0.05);
}

/* The child reads a page without access rights, and crashes. */
TEST(the_first_thread_reads_its_share)
{
    float numbers[16] = {0};
    matrix x = matrix_of(numbers, 1, 16);
    edge e = to_the_edge(&x);
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* CMocka handles it */
        peak_read(1, (const float *)e.end, 1024);
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_not_equal(status, 0);
    back(e);
}
