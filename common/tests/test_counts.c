/*
 * Counts of heads and threads add up field by field, none forgotten.
 */
#include "common/counts.h"
#include "common/testing/run_tests.h"

#include <string.h>

/* A counts whose every size_t holds a number of its own, times scale. */
static counts numbered(size_t scale)
{
    size_t fields[sizeof(counts) / sizeof(size_t)];
    counts c;

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        fields[i] = (i + 1) * scale;
    memcpy(&c, fields, sizeof c);
    return c;
}

static void every_field_is_added(void **state)
{
    counts sum = numbered(10), more = numbered(1), want = numbered(11);

    counts_add(&sum, &more);
    assert_memory_equal(&sum, &want, sizeof sum);
}

static void what_is_added_stays_as_it_was(void **state)
{
    counts sum = {0}, more = numbered(1), want = numbered(1);

    counts_add(&sum, &more);
    assert_memory_equal(&more, &want, sizeof more);
}

static void moved_is_what_the_algorithm_read_and_wrote(void **state)
{
    counts c = numbered(1);

    assert_int_equal(counts_moved(c), c.read[ALGORITHM] + c.written[ALGORITHM]);
    assert_true(counts_moved(c) > c.read[ALGORITHM]);
}

static void crossed_is_moved_and_the_other_books(void **state)
{
    counts c = numbered(1);

    assert_int_equal(counts_crossed(c), counts_moved(c) + c.read[INIT] +
                                            c.written[INIT] + c.read[LSE] +
                                            c.written[LSE] + c.read[MASK] +
                                            c.written[MASK]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_added),
        cmocka_unit_test(what_is_added_stays_as_it_was),
        cmocka_unit_test(moved_is_what_the_algorithm_read_and_wrote),
        cmocka_unit_test(crossed_is_moved_and_the_other_books),
    };

    return run_tests("counts", tests);
}
