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

/* Said after hear(): nothing, or one line about one of them. */
static void assert_says(int status, const char *name, const char *reason)
{
    if (reason)
        assert_said_line(name, reason);
    else
        assert_said_nothing();
    assert_int_equal(status, reason ? 2 : 0);
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
        hear();
        assert_says(check_sizes(&cases[k].sizes), cases[k].option,
                    cases[k].option ? "" : NULL);
    }
}

/* reason: what the line must hold beside the name, both shapes say. */
static const struct {
    const char *Q, *K, *V, *name, *reason;
} shapes[] = {
    {"5 8", "7 8", "7 3", NULL, NULL},
    {"2 6 5 8", "2 3 7 8", "2 3 7 8", NULL, NULL},
    {"6 5 8", "1 7 8", "1 7 8", NULL, NULL},
    {"2 0 5 8", "2 0 7 8", "2 0 7 8", NULL, NULL},
    {"2 0 5 8", "2 3 7 8", "2 3 7 8", NULL, NULL},
    {"0 6 5 8", "0 6 7 8", "0 6 7 3", NULL, NULL},
    {"0 8", "7 8", "7 3", NULL, NULL},
    {"5 8", "0 8", "0 3", NULL, NULL},
    {"5 8", "7 8", "7 0", NULL, NULL},
    {"2 6 5 8", "2 4 7 8", "2 4 7 8", "K.npy",
     "shape (2, 4, 7, 8) does not fit Q.npy (2, 6, 5, 8) (Q has a whole "
     "multiple of K's heads; of (B, N, H, d) swap axes 1 and 2)"},
    {"2 3 5 8", "2 6 7 8", "2 6 7 8", "K.npy", "whole multiple"},
    {"2 6 5 8", "2 0 7 8", "2 0 7 8", "K.npy", "whole multiple"},
    {"5 0", "7 0", "7 3", "Q.npy", "shape (5, 0) (d, the last, is at least 1)"},
    {"", "7 8", "7 3", "Q.npy", "shape () (2, 3 or 4 dimensions"},
    {"5 8", "8", "7 3", "K.npy", "shape (8,) (2, 3 or 4"},
    {"5 8", "7 8", "1 1 1 7 3", "V.npy", "shape (1, 1, 1, 7, 3) (2, 3 or 4"},
    {"1 5 8", "7 8", "7 3", "K.npy",
     "shape (7, 8) does not fit Q.npy (1, 5, 8) (Q, K, V have as many dim"},
    {"5 8", "7 9", "7 3", "K.npy",
     "shape (7, 9) does not fit Q.npy (5, 8) (d, the last, is the same"},
    {"5 8", "7 8", "6 3", "V.npy",
     "shape (6, 3) does not fit K.npy (7, 8) (Nk, the last but one"},
    {"2 6 5 8", "3 6 7 8", "2 6 7 3", "K.npy", "(B, the first"},
    {"2 6 5 8", "2 6 7 8", "1 6 7 3", "V.npy", "(B, the first"},
    {"2 6 5 8", "2 3 7 8", "2 6 7 3", "V.npy",
     "shape (2, 6, 7, 3) does not fit K.npy (2, 3, 7, 8) (K and V have as"},
    /* Without a number, but of any width: SIZE_MAX / 8. */
    {"0 2305843009213693951", "0 2305843009213693951", "0 1", "--d",
     "is too large"},
};

static void what_fits_is_taken_and_all_else_is_refused(void **state)
{
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        npy_array arrays[] = {array_of(shapes[n].Q), array_of(shapes[n].K),
                              array_of(shapes[n].V)};
        shaped q = shape_of("Q.npy", &arrays[0]);
        shaped k = shape_of("K.npy", &arrays[1]);
        shaped v = shape_of("V.npy", &arrays[2]);

        hear();
        assert_says(check_qkv(&q, &k, &v), shapes[n].name, shapes[n].reason);
    }
}

/* Of Q (2, 6, 5, 8) and K (2, 3, 7, 8). */
static void a_mask_may_lack_leading_dimensions_or_have_1(void **state)
{
    const char *const masks[][2] = {
        {"5 7", NULL},
        {"6 5 7", NULL},
        {"2 6 5 7", NULL},
        {"2 1 5 7", NULL},
        {"1 6 5 7", NULL},
        {"7", "shape (7,) (2, 3 or 4"},
        {"4 7", "shape (4, 7) does not fit Q.npy (2, 6, 5, 8) (a mask has Nq"},
        {"1 7", "(a mask has Nq rows"},
        {"5 8", "shape (5, 8) does not fit K.npy (2, 3, 7, 8) (a mask's last"},
        {"5 1", "(a mask's last is Nk"},
        {"2 5 7", "shape (2, 5, 7) does not fit Q.npy (2, 6, 5, 8) (leading"},
        {"3 6 5 7", "(leading ones"},
        {"2 3 5 7", "(leading ones"},
    };
    npy_array Q = array_of("2 6 5 8"), K = array_of("2 3 7 8");
    shaped q = shape_of("Q.npy", &Q), k = shape_of("K.npy", &K);

    for (size_t n = 0; n < sizeof masks / sizeof *masks; n++) {
        npy_array mask = array_of(masks[n][0]);
        shaped m = shape_of("M.npy", &mask);

        hear();
        assert_says(check_mask(&m, &q, &k), "M.npy", masks[n][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_cannot_be_counted_are_refused),
        cmocka_unit_test(what_fits_is_taken_and_all_else_is_refused),
        cmocka_unit_test(a_mask_may_lack_leading_dimensions_or_have_1),
    };

    return run_tests("attention_shapes", tests);
}
