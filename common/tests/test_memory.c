/* Tests counts, the limit M, the sticky error and uninitialised elements. */
#include "common/memory.h"
#include "common/scores.h"

#include <math.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

static memory mem;

static int reset(void **state)
{
    memory_reset(&mem);
    memory_reset(&mem); /* a second call must do nothing */
    return 0;
}

#define IN_MEMORY(test) TEST_BETWEEN(test, NULL, reset)

/* Returns a 6 x 5 array in HBM whose element (i, j) is 10 i + j. */
static array numbered(void)
{
    array a = hbm_scratch(&mem, 6, 5, FP32);

    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 5; j++)
            row(a.hbm, i)[j] = (float)(10 * i + j);
    return a;
}

IN_MEMORY(counts_add_up)
{
    size_t fields[sizeof(counts) / sizeof(size_t)];
    counts sum = {.exps = 0}, more;

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        fields[i] = i + 1;
    memcpy(&more, fields, sizeof more);
    for (int times = 0; times < 11; times++)
        counts_add(&sum, &more);
    memcpy(fields, &sum, sizeof sum);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_int_equal(fields[i], 11 * (i + 1));
}

IN_MEMORY(a_store_rounds_to_the_type_of_the_array)
{
    const precision types[] = {FP32, BF16, FP16};
    const float given[] = {1.0f / 3, 1e5f /* beyond fp16 */, -INFINITY};

    memory_init(&mem, 3);
    matrix tile = on_chip(&mem, 1, 3);
    memcpy(tile.data, given, sizeof given);
    for (size_t t = 0; t < 3; t++) {
        array a = hbm_scratch(&mem, 1, 3, types[t]);

        store(&mem, a, one(0), tile);
        for (size_t j = 0; j < 3; j++)
            assert_close(a.hbm.data[j], round_to(types[t], given[j]), 0);
    }
    assert_memory_equal(tile.data, given, sizeof given);
}

IN_MEMORY(tiles_up_to_M_fit_and_one_element_more_does_not)
{
    memory_init(&mem, 20);
    on_chip(&mem, 3, 4);
    on_chip(&mem, 2, 4);
    on_chip(&mem, 1000, 0);
    on_chip(&mem, 0, 1000);
    scratch(&mem, 100, 100); /* M does not bound scores and row states */
    scratch(&mem, 100, 1);
    hbm_scratch(&mem, 50, 50, FP32);
    assert_int_equal(mem.error, MEMORY_OK);
    assert_int_equal(mem.on_chip, 20);
    assert_int_equal(mem.scratch, 100 * 100 + 100);
    assert_int_equal(mem.extra, 50 * 50);
    matrix none = on_chip(&mem, 1, 1);
    assert_null(none.data);
    assert_int_equal(none.rows + none.cols + none.stride, 0);
    assert_int_equal(mem.error, MEMORY_TOO_SMALL);
    assert_string_equal(mem.message,
                        "on-chip memory of 20 elements is too small: 20 in "
                        "use, and a tile of 1 x 1 requested");
}

/* A factor of 0 sets every number to 0, but keeps poison. So a kernel that does
 * not initialise its sums returns NaN. */
IN_MEMORY(a_result_of_uninitialised_memory_is_nan)
{
    volatile float infinity = INFINITY;
    float written[] = {0, NAN, infinity - infinity};

    memory_init(&mem, 6);
    float *fresh[] = {on_chip(&mem, 2, 3).data, scratch(&mem, 2, 3).data,
                      hbm_scratch(&mem, 2, 3, BF16).hbm.data};

    for (size_t k = 0; k < 3; k++) {
        assert_false(is_unwritten(written[k]));
        for (size_t i = 0; i < 6; i++)
            assert_true(isnan(fresh[k][i]) && is_unwritten(fresh[k][i]));
        scale_row(fresh[k], 0, 6);
        axpy(fresh[k], 1, (float[]){1, 1, 1, 1, 1, 1}, 6);
        scale_row(fresh[k], 0.5f, 6);
        assert_true(is_unwritten(fresh[k][5]));
    }
    scale_row(written, 0, 3);
    assert_all_close(written, ((double[]){0, 0, 0}), 3, 0);
}

/* The number of bytes overflows size_t. The overflowed product can be so small
 * that malloc would succeed. */
IN_MEMORY(a_size_that_overflows_is_refused)
{
    const size_t half = SIZE_MAX / 2 + 1;
    const size_t sizes[][2] = {
        {half, 2}, {2, half}, {half, half}, {SIZE_MAX, 1}, {SIZE_MAX / 4, 2}};

    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_null(scratch(&mem, sizes[k][0], sizes[k][1]).data);
        assert_int_equal(mem.error, MEMORY_FULL);
        assert_non_null(strstr(mem.message, "out of memory for an array of "));
        assert_int_equal(mem.scratch, 0);
        memory_init(&mem, 100);
        on_chip(&mem, sizes[k][0], sizes[k][1]);
        assert_int_equal(mem.error, MEMORY_TOO_SMALL);
    }
}

/* A kernel allocates all arrays and then checks the error once, so a later
 * error must not replace the first one. */
IN_MEMORY(the_first_error_stays_until_a_reset)
{
    char message[sizeof mem.message];

    memory_init(&mem, 6);
    matrix tile = on_chip(&mem, 2, 3);

    load(&mem, &tile, numbered(), all(2));
    on_chip(&mem, 11, 1);
    memcpy(message, mem.message, sizeof message);
    assert_null(scratch(&mem, SIZE_MAX, SIZE_MAX).data);
    assert_null(scratch(&mem, 1, 1).data);
    assert_null(hbm_scratch(&mem, 1, 1, FP32).hbm.data);
    assert_null(on_chip(&mem, 1, 1).data);
    assert_int_equal(mem.error, MEMORY_TOO_SMALL);
    assert_string_equal(mem.message, message);
    memory_reset(&mem);
    assert_int_equal(mem.error, MEMORY_OK);
    assert_string_equal(mem.message, "");
    assert_int_equal(mem.on_chip + mem.scratch + mem.extra, 0);
    assert_int_equal(mem.counts.read[ALGORITHM], 6);
    assert_int_equal(mem.M, 6);
    assert_non_null(on_chip(&mem, 2, 3).data);
}

IN_MEMORY(there_is_room_for_16_blocks)
{
    memory_init(&mem, MEMORY_UNBOUNDED);
    for (size_t b = 0; b < MEMORY_MAX_BLOCKS; b++)
        assert_non_null(scratch(&mem, 1, 1).data);
    assert_null(scratch(&mem, 1, 1).data);
    assert_int_equal(mem.error, MEMORY_FULL);
    assert_non_null(strstr(mem.message, "more than 16 arrays"));
}

IN_MEMORY(worth_is_the_old_name_of_rescale_factor)
{
    assert_close(worth(&mem, 1, 3), expf(-2), 1e-6);
    assert_int_equal(mem.counts.rescales, 1);
}
