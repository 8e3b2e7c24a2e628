/* Tests the flash2_amx steps on each target that this machine can run. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/fast/amx_heads.h"
#include "06_flash2/steps.h"
#include "common/precision.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"
#include "common/testing/variant.h"
#include "common/threads.h"

/* --- Steps on targets ----------------------------------------------------- */

typedef struct {
    const char *target, *name;
    const amx_kernel *kernel;
} tile_step;

#define STEP(step, target)                                                     \
    {                                                                          \
#target, #step " on " #target, &step##_##target                        \
    }
#define X(target)                                                              \
    STEP(flash2_amx_plain, target), STEP(flash2_amx_overlap, target),          \
        STEP(flash2_amx, target),
static const tile_step kernels[] = {AMX_TARGETS};
#undef X

#define COUNT (sizeof kernels / sizeof kernels[0])

static bool runs_here(size_t k)
{
    return amx_target_runs(k / (COUNT / amx_targets()));
}

/* The steps that this machine can run, if FLASH2_TILES selects no other. */
static attention_step here[COUNT + 1];

static int attend(const attention_step *step, const layer *l, memory *mem)
{
    size_t k = 0;

    while (strcmp(kernels[k].name, step->name) != 0)
        k++;
    return attend_on_tiles(kernels[k].kernel, l, mem);
}

/* --- The product ---------------------------------------------------------- */

enum { PLAIN, ANY_BITS, TINY, WIDE, KINDS };

/* Products and sums of TINY numbers are subnormal or nearly. */
static uint16_t number(random_source *source, int kind, bool of_C)
{
    uint16_t h = to_bf16((float)(4 * random_uniform(source) - 2));
    uint16_t r = (uint16_t)random_below(source, 1 << 16);

    if (kind == ANY_BITS)
        return r;
    if (kind == TINY && of_C)
        return (uint16_t)((h & 0x807f) | (r % 12) << 7);
    if (kind == TINY)
        return (uint16_t)((h & 0x807f) | (r % 16 ? r % 40 + 45 : 0) << 7);
    if (kind == WIDE)
        return (uint16_t)((h & 0x807f) | (r % 60 + 97) << 7);
    return h;
}

/* A NaN may have any bits. */
TEST(C_plus_A_B_has_the_same_bits_on_AMX_and_in_the_model)
{
    const amx_kernel *amx = NULL, *model = NULL;

    for (size_t k = 0; k < COUNT; k++) {
        if (strcmp(kernels[k].target, "amx") == 0 && runs_here(k))
            amx = kernels[k].kernel;
        if (strcmp(kernels[k].target, "model") == 0)
            model = kernels[k].kernel;
    }
    if (!amx) {
        print_message("left out: this machine has no AMX\n");
        skip();
    }
    for (int kind = 0; kind < KINDS; kind++) {
        random_source source = variant_seed(70 + (uint64_t)kind);

        for (size_t n = 0; n < 300; n++) {
            _Alignas(64) float tiles[3][TILE_FLOATS];
            _Alignas(64) float other[TILE_FLOATS];
            uint16_t bits[2];

            for (size_t k = 0; k < 3 * TILE_FLOATS; k++) {
                bits[0] = number(&source, kind, k < TILE_FLOATS);
                bits[1] = number(&source, kind, k < TILE_FLOATS);
                memcpy(&tiles[k / TILE_FLOATS][k % TILE_FLOATS], bits,
                       sizeof bits);
            }
            memcpy(other, tiles[0], sizeof other);
            amx->product(tiles[0], tiles[1], tiles[2]);
            model->product(other, tiles[1], tiles[2]);
            for (size_t k = 0; k < TILE_FLOATS; k++)
                if (memcmp(&tiles[0][k], &other[k], sizeof(float)) != 0 &&
                    !(isnan(tiles[0][k]) && isnan(other[k])))
                    fail_msg("kind %d, round %zu: C[%zu] is %.9g by AMX, %.9g "
                             "by the model",
                             kind, n, k, (double)tiles[0][k], (double)other[k]);
        }
    }
}

/* --- Random problems ------------------------------------------------------ */

static attention_case random_case(random_source *source, uint64_t seed)
{
    size_t Nq = 1 + random_below(source, 80),
           Nk = 1 + random_below(source, 200);
    size_t d = 1 + random_below(source, 100),
           dv = 1 + random_below(source, 100);
    attention_case c = case_of(Nq, Nk, d, dv);

    if (seed % 16 == 0) {
        case_free(&c);
        c = case_of(Nq, Nk, 129 + random_below(source, 128), 160);
    }
    case_random(&c, seed);
    c.nth = seed;
    if (seed % 3 == 1)
        case_causal(&c, (long)random_below(source, 200) - 100);
    if (seed % 5 == 1) {
        c.h.rule.window = 1 + random_below(source, 90);
        c.h.rule.offset = (long)random_below(source, 200) - 60;
    }
    if (seed % 7 == 0)
        c.h.scale *= seed % 14 ? -30 : 8;
    if (seed % 11 == 0)
        for (size_t j = 0; j < Nk; j++) /* rising scores: m must change */
            for (size_t x = 0; x < d; x++)
                k_of(&c, j)[x] *= (float)(j + 1) / 16;
    return c;
}

TEST(results_of_random_problems_are_within_the_tolerance)
{
    const char *more = getenv("RANDOM_CASES");
    uint64_t most = more ? strtoull(more, NULL, 10) : 100;
    random_source source = variant_seed(71);

    for (uint64_t seed = 1; seed <= most; seed++) {
        auto_case c = random_case(&source, seed);

        case_expect(&c, here);
        for (const attention_step *s = here; s->name; s++) {
            case_run(&c, s);
            case_check(&c, s);
        }
    }
}

TEST(results_have_the_same_bits_on_AMX_and_in_the_model)
{
    random_source source = variant_seed(72);

    for (uint64_t seed = 1; seed <= 30; seed++) {
        auto_case c = random_case(&source, seed);
        size_t size = c.h.Nq * c.h.dv * sizeof(float);
        float *kept = case_block(1, size), *L = case_block(c.h.Nq, sizeof *L);

        for (size_t k = 0; k < COUNT; k++) {
            size_t m = k + (COUNT / amx_targets()) * (amx_targets() - 1);
            attention_step amx = {kernels[k].name, .run_layer = attend};
            attention_step model = {kernels[m % COUNT].name,
                                    .run_layer = attend};

            if (strcmp(kernels[k].target, "amx") != 0 || !runs_here(k))
                continue;
            case_run(&c, &amx);
            memcpy(kept, c.h.O.hbm.data, size);
            memcpy(L, c.h.L.hbm.data, c.h.Nq * sizeof *L);
            case_run(&c, &model);
            assert_memory_equal(kept, c.h.O.hbm.data, size);
            assert_memory_equal(L, c.h.L.hbm.data, c.h.Nq * sizeof *L);
        }
        free(kept);
        free(L);
    }
}

/* --- Fallbacks to flash2 -------------------------------------------------- */

static size_t fallbacks_of(const attention_step *s, attention_case *c)
{
    case_run(c, s);
    case_check(c, s);
    return c->counts.fallbacks;
}

TEST(ordinary_problems_are_not_left_to_flash2)
{
    for (const attention_step *s = here; s->name; s++)
        for (uint64_t seed = 1; seed <= 7; seed++) {
            auto_case c = case_of(70, 150, 40, 33);

            case_random(&c, seed);
            if (seed > 1)
                case_causal(&c, (long)seed * 20 - 60);
            c.h.scale *= seed % 2 ? 1 : -100;
            case_expect(&c, s);
            assert_int_equal(fallbacks_of(s, &c), 0);
        }
}

/* flash2 computes the block of 32 queries, from inputs rounded to bf16. */
TEST(only_a_block_with_a_nan_is_left_to_flash2)
{
    for (const attention_step *s = here; s->name; s++) {
        auto_case c = case_of(100, 100, 6, 4), exact = case_of(100, 100, 6, 4);

        case_random(&c, 5);
        case_random(&exact, 5);
        case_causal(&c, 0);
        q_of(&c, 40)[3] = NAN;
        case_expect(&c, s);
        assert_int_equal(fallbacks_of(s, &c), 1);
        memcpy(c.h.Q.hbm.data, exact.h.Q.hbm.data, 600 * sizeof(float));
        memcpy(c.h.K.hbm.data, exact.h.K.hbm.data, 600 * sizeof(float));
        q_of(&c, 40)[3] = NAN;
        assert_int_equal(fallbacks_of(s, &c), 1);
        /* Only query 99 sees key 99, but block 2 loads the key, too. */
        v_of(&c, 99)[0] = NAN;
        case_expect(&c, s);
        assert_int_equal(fallbacks_of(s, &c), 3);
    }
}

/* --- Threads, groups, refusals -------------------------------------------- */

/* With less than 4 key heads per thread, all threads compute one key head
 * together. Otherwise each thread computes a key head alone. */
TEST(any_number_of_threads_gives_the_same_bits)
{
    enum { NQ = 70, NK = 90, D = 24 };
    const size_t usual = thread_count();

    for (size_t Hk = 3; Hk < 10; Hk += 6) {
        size_t n = 2 * Hk * NQ * D, keys = Hk * NK * D;
        float *x = case_block(n + 2 * keys, sizeof *x);
        float *O = case_block(2 * (n + 2 * Hk * NQ), sizeof *O);
        random_source source = variant_seed(73);
        layer l = {.B = 1,
                   .Hq = 2 * Hk,
                   .Hk = Hk,
                   .mask_B = 1,
                   .mask_H = 1,
                   .each = {.Nq = NQ,
                            .Nk = NK,
                            .d = D,
                            .dv = D,
                            .scale = 0.2f,
                            .rule = {.causal = true, .offset = 20}}};

        random_fill(&source, x, n + 2 * keys, 2);
        for (const attention_step *s = here; s->name; s++)
            for (size_t threads = 1; threads <= 8; threads++) {
                float *to = threads == 1 ? O : O + n + 2 * Hk * NQ;
                memory mem;

                memory_init(&mem, MEMORY_UNBOUNDED);
                layer_give(&l, x, x + n, x + n + keys, to, to + n);
                use_threads(threads);
                assert_int_equal(s->run_layer(s, &l, &mem), MEMORY_OK);
                use_threads(usual);
                memory_reset(&mem);
                assert_memory_equal(to, O, (n + 2 * Hk * NQ) * sizeof *O);
            }
        free(x);
        free(O);
    }
}

TEST(query_heads_can_share_a_key_head)
{
    for (const attention_step *s = here; s->name; s++) {
        auto_case one = case_of(80, 70, 20, 12);
        layer l;
        memory mem;

        case_random(&one, 4);
        case_expect(&one, s);
        l = layer_of(&one.h);
        l.Hq = 2;
        l.each.Nq = 40;
        l.each.Q.hbm.rows = l.each.O.hbm.rows = l.each.L.hbm.rows = 40;
        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(s->run_layer(s, &l, &mem), MEMORY_OK);
        memory_reset(&mem);
        case_check(&one, s);
    }
}

/* Q, K and V have only 16-bit data, as in a call of the library. */
TEST(inputs_in_bf16_are_read_without_floats)
{
    for (const attention_step *s = here; s->name; s++) {
        auto_case c = case_of(40, 70, 20, 45);
        array *arrays[] = {&c.h.Q, &c.h.K, &c.h.V};
        float *data[3];
        uint16_t *bits[3];

        case_random(&c, 4);
        q_of(&c, 35)[2] = NAN; /* flash2 computes block 1 */
        case_expect(&c, s);
        for (size_t a = 0; a < 3; a++) {
            size_t n = arrays[a]->hbm.rows * arrays[a]->hbm.cols;

            data[a] = arrays[a]->hbm.data;
            bits[a] = case_block(n, sizeof *bits[a]);
            for (size_t k = 0; k < n; k++)
                bits[a][k] = to_bf16(data[a][k]);
            arrays[a]->narrow = bits[a];
            arrays[a]->type = BF16;
            arrays[a]->hbm.data = NULL;
        }
        assert_int_equal(fallbacks_of(s, &c), 1);
        for (size_t a = 0; a < 3; a++) {
            arrays[a]->hbm.data = data[a];
            free(bits[a]);
        }
    }
}

static void refuses(attention_case *c, const char *words)
{
    for (const attention_step *s = here; s->name; s++) {
        memory mem;

        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(step_run(s, &c->h, &mem), MEMORY_REFUSED);
        assert_non_null(strstr(mem.message, words));
        memory_reset(&mem);
    }
}

TEST(a_refusal_names_what_is_not_supported)
{
    auto_case c = case_of(2, 3, 257, 4), mask = case_of(2, 3, 4, 4);
    uint16_t halves[3 * 4] = {0};

    refuses(&c,
            "d 257, dv 4, 3 keys: too large for a matrix unit; at most 256");
    case_random(&mask, 1);
    mask.h.rule.softcap = 2;
    refuses(&mask,
            "softcap: not supported on a matrix unit; flash2_simd supports it");
    mask.h.rule.softcap = 0;
    mask.h.rule.slope = 1;
    refuses(&mask, "ALiBi: not");
    mask.h.rule.slope = 0;
    mask.h.V.narrow = halves;
    mask.h.V.type = FP16;
    refuses(&mask, "fp16: not");
    mask.h.V.narrow = NULL;
    mask.h.V.type = FP32;
    case_mask(&mask);
    refuses(&mask, "mask: not");
}

TEST(an_unknown_target_is_refused_by_name)
{
    auto_case c = case_of(1, 1, 1, 1);
    const char *was = getenv("FLASH2_TILES");
    char *kept = strdup(was ? was : "");
    memory mem;

    case_random(&c, 1);
    setenv("FLASH2_TILES", "abacus", 1);
    for (const attention_step *s = chapter_06_amx; s->name; s++) {
        memory_init(&mem, MEMORY_UNBOUNDED);
        assert_int_equal(step_run(s, &c.h, &mem), MEMORY_REFUSED);
        assert_non_null(strstr(mem.message, "FLASH2_TILES: no target abacus"));
        memory_reset(&mem);
        setenv("FLASH2_TILES", "model", 1);
        check_case(s, &c);
        setenv("FLASH2_TILES", "abacus", 1);
    }
    setenv("FLASH2_TILES", kept, 1);
    free(kept);
}

/* Scores with a standard deviation of 400 give subnormal weights. */
TEST(subnormals_are_flushed_only_inside_the_step)
{
    for (const attention_step *s = here; s->name; s++) {
        volatile float smallest = FLT_MIN;
        auto_case c = case_of(40, 100, 8, 8);

        case_random(&c, 3);
        c.h.scale *= 100;
        check_case(s, &c);
        assert_true(smallest / 2 > 0);
    }
}

int main(void)
{
    attention_excuse excuses[COUNT + 1] = {{0}};
    const char *only = getenv("FLASH2_TILES");
    size_t n = 0;

    for (size_t k = 0; k < COUNT; k++) {
        if (!runs_here(k) || (only && strcmp(only, kernels[k].target) != 0))
            continue;
        here[n] =
            (attention_step){.name = kernels[k].name,
                             .type = BF16,
                             .run_layer = attend,
                             .weight_error = chapter_06_amx[0].weight_error};
        excuses[n] = (attention_excuse){here[n].name, MASKS | SOFTCAPS, 0, 256};
        n++;
    }
    return run_attention_tests("amx", here, excuses);
}
