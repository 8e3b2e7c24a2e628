/* Tests softmax_loss against errors that the test computes itself. */
#include "03_online_softmax/precision_loss.h"

#include <math.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

enum { ROWS = 3, N = 6 };
static float scores[ROWS][N] = {{0.1f, -2, 3, 0.7f, 1.25f, -0.4f},
                                {5, 5.1f, 4.9f, 5.2f, -1, 0},
                                {-3, -2.5f, -1.5f, 1, 2.25f, 2.75f}};

/* Returns ||y - w|| / ||w||, where w are the exact weights of n scores x. Raises
 * *largest to the largest |y_i - w_i|. */
static double error_of(const softmax_step *step, const float *x, size_t n,
                       precision type, double *largest)
{
    float rounded[N], y[N];
    softmax_row r = {.n = n, .x = rounded, .y = y, .block = 4, .type = type};
    double sum = 0, square = 0, off = 0;

    for (size_t i = 0; i < n; i++) {
        rounded[i] = round_to(type, x[i]);
        sum += exp((double)x[i]);
    }
    step->run(&r);
    for (size_t i = 0; i < n; i++) {
        double want = exp((double)x[i]) / sum;
        double difference = (double)y[i] - want;

        off += difference * difference;
        square += want * want;
        *largest = fmax(*largest, fabs(difference));
    }
    return sqrt(off / square);
}

TEST(the_error_is_the_root_mean_square_over_the_rows)
{
    const score_rows from = {
        .name = "file", .kind = OF_FILE, .file = scores[0], .row = N};

    /* all scores of the rows, and a part of them */
    for (unsigned t = 0; t < 6; t++) {
        precision type = FP32 + t % 3;
        size_t n = t < 3 ? N : 4;
        row_loss loss[COMPARED];
        double each[ROWS][COMPARED];

        assert_int_equal(softmax_loss(from, type, n, ROWS, 4, loss, each), 0);
        for (size_t s = 0; s < COMPARED; s++) {
            double sum = 0, largest = 0;

            for (size_t k = 0; k < ROWS; k++) {
                double e =
                    error_of(compared_steps[s], scores[k], n, type, &largest);

                assert_close(each[k][s], e, 1e-12);
                sum += e * e;
            }
            assert_close(loss[s].relative, sqrt(sum / (double)ROWS), 1e-12);
            assert_close(loss[s].largest, largest, 1e-12);
        }
    }
}

static void random_loss(unsigned kind, double spread, uint64_t seed,
                        row_loss loss[COMPARED])
{
    score_rows from = {.name = "random", .spread = spread, .seed = seed};

    from.kind = kind;
    assert_int_equal(softmax_loss(from, FP32, 1 << 16, 2, 64, loss, NULL), 0);
    for (size_t s = 0; s < COMPARED; s++)
        assert_true(loss[s].relative > 0 && loss[s].relative < 1e-3);
}

TEST(each_kind_of_row_has_its_distribution)
{
    row_loss normal[COMPARED], sorted[COMPARED], uniform[COMPARED];
    row_loss wide[COMPARED], again[COMPARED], other[COMPARED];

    random_loss(NORMAL, 4, 5, normal);
    random_loss(SORTED, 4, 5, sorted);
    random_loss(UNIFORM, 4, 5, uniform);
    random_loss(NORMAL, 16, 5, wide);
    random_loss(NORMAL, 4, 5, again);
    random_loss(NORMAL, 4, 6, other);
    /* Safe softmax is more accurate in sorted rows, because it adds the small
     * weights first. Online softmax is less accurate than safe softmax there,
     * because it rescales its sum at every score. */
    assert_true(sorted[0].relative < 0.1 * normal[0].relative);
    assert_true(sorted[1].relative > 2 * sorted[0].relative);
    assert_true(uniform[0].relative != normal[0].relative);
    assert_true(wide[0].relative != normal[0].relative);
    assert_true(other[0].relative != normal[0].relative);
    assert_true(again[0].relative == normal[0].relative);
}

TEST(there_are_fewer_long_rows)
{
    assert_int_equal(rows_of_length(1), 64);
    assert_int_equal(rows_of_length(1024), 64);
    assert_int_equal(rows_of_length(2048), 32);
    assert_int_equal(rows_of_length(1 << 16), 1);
    assert_int_equal(rows_of_length((1 << 16) + 1), 1);
    assert_int_equal(rows_of_length(1 << 20), 1);
}
