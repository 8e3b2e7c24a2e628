/*
 * The Hopper rungs keep attention's contract, and move the bytes that the
 * closed form says.
 */
#include "07_cuda/tests/test_hopper.h"
#include "07_cuda/tests/test_ladder.h"

static void many_tiles_are_right_and_move_the_bytes_of_the_formula(void **state)
{
    static const hopper_problem problems[] = {
        {1, 1, 64, false, 0, 1},       {239, 1, 64, true, -238, 1},
        {113, 203, 128, false, 0, 4},  {130, 700, 64, false, 0, 1},
        {300, 300, 128, true, 0, 1},   {330, 620, 64, true, 290, 2},
        {140, 390, 128, true, 250, 2}, {260, 100, 64, true, -160, 4},
    };

    (void)state;
    for (const attention_step *s = hopper_steps(); s->name; s++)
        for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++)
            check_problem(s, &problems[k], 81 + k);
}

int main(void)
{
    static const struct CMUnitTest own[] = {
        cmocka_unit_test(
            many_tiles_are_right_and_move_the_bytes_of_the_formula),
        cmocka_unit_test(the_emulator_found_no_mistake),
    };
    int failed = run_tests("hopper_tiles", own);

    return run_ladder_tests("hopper", BF16, FIRST_HOPPER, RUNGS) || failed;
}
