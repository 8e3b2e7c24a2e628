/*
 * The Hopper rungs keep attention's contract, and move the bytes that the
 * closed form says.
 */
#include "07_cuda/host/device.h"
#include "07_cuda/tests/test_hopper.h"
#include "07_cuda/tests/test_ladder.h"

static void many_tiles_are_right_and_move_the_bytes_of_the_formula(void **state)
{
    static const hopper_problem problems[] = {
        {1, 1, 64, false, 0, 1},       {239, 1, 64, true, -238, 1},
        {113, 203, 128, false, 0, 4},  {130, 700, 64, false, 0, 1},
        {300, 300, 128, true, 0, 1},   {330, 620, 64, true, 290, 2},
        {140, 390, 128, true, 250, 2}, {260, 100, 64, true, -160, 4},
        {140, 900, 128, false, 0, 1},
    };

    (void)state;
    for (const attention_step *s = hopper_steps(); s->name; s++)
        for (size_t k = 0; k < sizeof problems / sizeof problems[0]; k++)
            check_problem(s, &problems[k], 81 + k);
}

/* Where no key is masked, too. */
static void a_scale_that_is_not_above_0_is_right(void **state)
{
    (void)state;
    for (const attention_step *s = hopper_steps(); s->name; s++)
        for (size_t d = 64; d <= 128; d += 64)
            for (int sign = -1; sign <= 0; sign++) {
                attention_subject subject = {.step = s};
                attention_case c = case_of(70, 600, d, d);

                case_random(&c, 85);
                c.h.scale *= (float)sign;
                case_expect(&c, &subject);
                case_run(&c, &subject);
                case_check(&c, &subject);
                case_free(&c);
            }
}

/* Of rungs 9 to 11: so many heads at a time, the longest tiles first. */
static void check_schedule(const rung_problem *p, int heads_in_L2)
{
    int Br = rung_Br(&ladder[RUNG_roles], p->D), of, i0;
    int tiles = (p->Nq + Br - 1) / Br, works = tiles * p->heads;
    int *taken = calloc((size_t)works, sizeof *taken), longer = 0;

    for (int t = 0; t < works; t++) {
        int keys = rung_roles_work(p, t, heads_in_L2, &of, &i0);

        assert_true(of >= 0 && of < p->heads && i0 >= 0 && i0 < p->Nq);
        assert_int_equal(i0 % Br, 0);
        taken[of * tiles + i0 / Br]++;
        if (heads_in_L2)
            assert_int_equal(of / heads_in_L2, t / (tiles * heads_in_L2));
        if (heads_in_L2 && t % (tiles * heads_in_L2))
            assert_true(keys <= longer);
        longer = keys;
    }
    for (int k = 0; k < works; k++)
        assert_int_equal(taken[k], 1);
    free(taken);
}

static void every_tile_is_taken_once_and_the_longest_first(void **state)
{
    (void)state;
    for (int heads = 1; heads <= 12; heads += 1 + heads / 3)
        for (int Nq = 1; Nq < 1500; Nq += 333)
            for (int offset = -Nq; offset <= 700; offset += 350)
                for (int D = 64; D <= 128; D += 64) {
                    rung_problem p = {.heads = heads,
                                      .group = 1,
                                      .Nq = Nq,
                                      .Nk = 700,
                                      .D = D,
                                      .offset = offset};

                    for (int in_L2 = 0; in_L2 <= heads + 1; in_L2++)
                        check_schedule(&p, in_L2);
                }
}

int main(void)
{
    static const struct CMUnitTest own[] = {
        cmocka_unit_test(every_tile_is_taken_once_and_the_longest_first),
        cmocka_unit_test(
            many_tiles_are_right_and_move_the_bytes_of_the_formula),
        cmocka_unit_test(a_scale_that_is_not_above_0_is_right),
        cmocka_unit_test(the_emulator_found_no_mistake),
    };
    int failed;

    if (!hopper_runs_here())
        return 0;
    failed = run_tests("hopper_tiles", own);
    return run_ladder_tests("hopper", BF16, FIRST_HOPPER, RUNGS) || failed;
}
