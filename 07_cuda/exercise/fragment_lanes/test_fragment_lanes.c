/*
 * Tests each function by a product with ones, in which each element of A or B
 * appears once. The elements are different numbers, so a wrong one has a name.
 *
 * For the grader:
 *   multiply: function A[256] B[128] C[128] => C
 */
#include "fragment_lanes.h"

#include <math.h>

#include "07_cuda/exercise/emulator.h"
#include "common/testing/variant.h"

/* `of` is the matrix that has different numbers, with its number of columns. */
static void check(int function, const char *name, char of, int columns)
{
    float first = (float)variant_size(55, 1, 2, 900), A[256], B[128], C[128];

    for (int half = 0; half < columns / 8; half++) {
        for (int e = 0; e < 256; e++)
            A[e] = of == 'A' ? first + (float)e : e / 16 == e % 16;
        for (int e = 0; e < 128; e++) {
            B[e] = of == 'A' ? e / 8 == e % 8 + 8 * half : first + (float)e;
            C[e] = NAN;
        }
        assert_nothing_found(multiply(function, A, B, C));
        for (int e = 0; e < 128; e++) {
            int row = e / 8, column = e % 8 + 8 * half;
            float got = C[e] - first, want = (float)(row * columns + column);

            if (got == want)
                continue;
            if (!(got >= 0 && got < 16 * (float)columns))
                fail_msg("%s: no lane has %c[%d][%d]", name, of, row, column);
            fail_msg("%s: in place of %c[%d][%d] a lane has %c[%d][%d]", name,
                     of, row, column, of, (int)got / columns,
                     (int)got % columns);
        }
    }
}

TEST(c_place_is_where_a_result_belongs)
{
    check(C_PLACE, "c_place", 'C', 8);
}

TEST(a_place_is_the_element_of_A)
{
    check(A_PLACE, "a_place", 'A', 16);
}

TEST(b_place_is_the_element_of_B)
{
    check(B_PLACE, "b_place", 'B', 8);
}

TEST(weights_stay_in_their_lane)
{
    check(WEIGHT_OF, "weight_of", 'A', 16);
}
