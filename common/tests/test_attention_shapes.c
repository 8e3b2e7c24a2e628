/*
 * Shapes that fit are taken; the others are refused with one line that names
 * the array and shows both shapes.
 */
#include "common/problem/attention_arrays.h"
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include <string.h>

/* "2 3 4" as an array of that shape, without data. */
static npy_array array_of(const char *shape)
{
    npy_array a = {.size = 1};
    char text[80], *next = text;

    snprintf(text, sizeof text, "%s", shape);
    while (*next) {
        a.shape[a.dims] = strtoul(next, &next, 10);
        a.size *= a.shape[a.dims++];
    }
    return a;
}

static int check(const char *Q, const char *K, const char *V)
{
    npy_array arrays[] = {array_of(Q), array_of(K), array_of(V)};
    shaped q = shape_of("Q.npy", &arrays[0]), k = shape_of("K.npy", &arrays[1]);
    shaped v = shape_of("V.npy", &arrays[2]);

    return check_qkv(&q, &k, &v);
}

static void assert_fit(const char *Q, const char *K, const char *V)
{
    hear_stderr();
    int status = check(Q, K, V);
    assert_said_nothing();
    assert_int_equal(status, 0);
}

/* reason: what the line must hold beside the name, both shapes say. */
static void assert_misfit(const char *Q, const char *K, const char *V,
                          const char *name, const char *reason)
{
    hear_stderr();
    int status = check(Q, K, V);
    assert_said_line(name, reason);
    assert_int_equal(status, 2);
}

/* Products of sizes are counted, so they must not wrap; nor may sums. */
static void sizes_that_cannot_be_counted_are_refused(void **state)
{
    const size_t most = SIZE_MAX / 16, half = (size_t)1 << (sizeof most * 4);
    const struct {
        random_sizes sizes;
        const char *option; /* refused; NULL: none */
    } cases[] = {
        {{1, 1, 1, 4, 4, most / 16, 1, 0}, NULL},
        {{1, 1, 1, 4, 4, most / 16 + 1, 1, 0}, "--d"},
        {{1, 1, 1, 4, 4, SIZE_MAX, 1, 0}, "--d"},
        {{1, 1, 1, 4, 4, 1, SIZE_MAX, 0}, "--dv"},
        {{0, 0, 0, 0, 0, most, most, 0}, NULL},
        {{0, 0, 0, 0, 0, 1, most + 1, 0}, "--dv"},
        {{1, 1, 1, half, half, 1, 1, 0}, "--nk"},
        {{1, 1, 1, SIZE_MAX, 1, 1, 1, 0}, "--n"},
        {{SIZE_MAX, 1, 1, 1, 1, 1, 1, 0}, "--batch"},
        {{1, SIZE_MAX, 1, 1, 1, 1, 1, 0}, "--heads"},
        {{1, 0, SIZE_MAX, 1, 1, 1, 1, 0}, "--kv-heads"},
        {{1, 6, 4, 1, 1, 1, 1, 0}, "--kv-heads"},
        {{1, 6, 0, 1, 1, 1, 1, 0}, "--kv-heads"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hear_stderr();
        int status = check_sizes(&cases[k].sizes);
        if (cases[k].option)
            assert_said_line(cases[k].option, "");
        else
            assert_said_nothing();
        assert_int_equal(status, cases[k].option ? 2 : 0);
    }
}

/* Of a file without a number, but of any width. */
static void an_empty_array_may_be_too_wide(void **state)
{
    char wide[40];

    snprintf(wide, sizeof wide, "0 %zu", SIZE_MAX / 8);
    assert_misfit(wide, wide, wide, "--d", "is too large");
}

static void two_three_and_four_dimensions_fit(void **state)
{
    assert_fit("5 8", "7 8", "7 3");
    assert_fit("6 5 8", "6 7 8", "6 7 3");
    assert_fit("2 6 5 8", "2 6 7 8", "2 6 7 3");
}

static void query_heads_may_be_a_multiple_of_key_heads(void **state)
{
    assert_fit("2 6 5 8", "2 3 7 8", "2 3 7 8");
    assert_fit("6 5 8", "1 7 8", "1 7 8");
    assert_misfit(
        "2 6 5 8", "2 4 7 8", "2 4 7 8", "K.npy",
        "shape (2, 4, 7, 8) does not fit Q.npy (2, 6, 5, 8) (Q has a "
        "whole multiple of K's heads; of (B, N, H, d) swap axes 1 and 2)");
    assert_misfit("2 3 5 8", "2 6 7 8", "2 6 7 8", "K.npy", "whole multiple");
    assert_misfit("2 6 5 8", "2 0 7 8", "2 0 7 8", "K.npy", "whole multiple");
    assert_fit("2 0 5 8", "2 0 7 8", "2 0 7 8");
    assert_fit("2 0 5 8", "2 3 7 8", "2 3 7 8");
}

static void empty_ones_fit_but_d_may_not_be_0(void **state)
{
    assert_fit("0 6 5 8", "0 6 7 8", "0 6 7 3");
    assert_fit("0 8", "7 8", "7 3");
    assert_fit("5 8", "0 8", "0 3");
    assert_fit("5 8", "7 8", "7 0");
    assert_misfit("5 0", "7 0", "7 3", "Q.npy",
                  "shape (5, 0) (d, the last, is at least 1)");
}

static void the_number_of_dimensions_is_2_to_4_and_the_same(void **state)
{
    assert_misfit("", "7 8", "7 3", "Q.npy", "shape () (2, 3 or 4 dimensions");
    assert_misfit("5 8", "8", "7 3", "K.npy", "shape (8,) (2, 3 or 4");
    assert_misfit("5 8", "7 8", "1 1 1 7 3", "V.npy",
                  "shape (1, 1, 1, 7, 3) (2, 3 or 4");
    assert_misfit("1 5 8", "7 8", "7 3", "K.npy",
                  "shape (7, 8) does not fit Q.npy (1, 5, 8) (Q, K, V have as "
                  "many dimensions)");
    assert_misfit("5 8", "7 8", "1 7 3", "V.npy", "as many dimensions");
}

static void sizes_that_are_one_must_be_the_same(void **state)
{
    assert_misfit("5 8", "7 9", "7 3", "K.npy",
                  "shape (7, 9) does not fit Q.npy (5, 8) (d,");
    assert_misfit("5 8", "7 8", "6 3", "V.npy",
                  "shape (6, 3) does not fit K.npy (7, 8) (Nk,");
    assert_misfit("5 8", "7 8", "8 3", "V.npy",
                  "shape (8, 3) does not fit K.npy (7, 8) (Nk,");
    assert_misfit("5 8", "7 7", "7 3", "K.npy", "(d,");
    assert_misfit("2 6 5 8", "3 6 7 8", "2 6 7 3", "K.npy", "(B, the first");
    assert_misfit("2 6 5 8", "2 6 7 8", "1 6 7 3", "V.npy", "(B, the first");
    assert_misfit("2 6 5 8", "2 3 7 8", "2 6 7 3", "V.npy",
                  "shape (2, 6, 7, 3) does not fit K.npy (2, 3, 7, 8) (K and V "
                  "have as many heads)");
}

static int check_masked(const char *mask)
{
    npy_array arrays[] = {array_of(mask), array_of("2 6 5 8"),
                          array_of("2 3 7 8")};
    shaped m = shape_of("M.npy", &arrays[0]), q = shape_of("Q.npy", &arrays[1]);
    shaped k = shape_of("K.npy", &arrays[2]);

    return check_mask(&m, &q, &k);
}

static void a_mask_may_lack_leading_dimensions_or_have_1(void **state)
{
    const char *const fit[] = {"5 7",     "1 5 7",   "6 5 7",  "2 6 5 7",
                               "2 1 5 7", "1 6 5 7", "1 1 5 7"};

    for (size_t k = 0; k < sizeof fit / sizeof *fit; k++) {
        hear_stderr();
        int status = check_masked(fit[k]);
        assert_said_nothing();
        assert_int_equal(status, 0);
    }
}

static void a_mask_of_other_sizes_is_refused(void **state)
{
    const char *const masks[][2] = {
        {"7", "shape (7,) (2, 3 or 4"},
        {"4 7", "shape (4, 7) does not fit Q.npy (2, 6, 5, 8) (a mask has Nq"},
        {"1 7", "(a mask has Nq rows"},
        {"5 8", "shape (5, 8) does not fit K.npy (2, 3, 7, 8) (a mask's last"},
        {"5 1", "(a mask's last is Nk"},
        {"2 5 7", "shape (2, 5, 7) does not fit Q.npy (2, 6, 5, 8) (leading"},
        {"3 5 7", "(leading ones"},
        {"3 6 5 7", "(leading ones"},
        {"2 3 5 7", "(leading ones"},
    };

    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
        hear_stderr();
        int status = check_masked(masks[k][0]);
        assert_said_line("M.npy", masks[k][1]);
        assert_int_equal(status, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_cannot_be_counted_are_refused),
        cmocka_unit_test(an_empty_array_may_be_too_wide),
        cmocka_unit_test(two_three_and_four_dimensions_fit),
        cmocka_unit_test(query_heads_may_be_a_multiple_of_key_heads),
        cmocka_unit_test(empty_ones_fit_but_d_may_not_be_0),
        cmocka_unit_test(the_number_of_dimensions_is_2_to_4_and_the_same),
        cmocka_unit_test(sizes_that_are_one_must_be_the_same),
        cmocka_unit_test(a_mask_may_lack_leading_dimensions_or_have_1),
        cmocka_unit_test(a_mask_of_other_sizes_is_refused),
    };

    return run_tests("attention_shapes", tests);
}
