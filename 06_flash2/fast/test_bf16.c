/* Tests the steps in bf16 on each target that this machine can run. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_flash2/fast/bf16_heads.h"
#include "06_flash2/steps.h"
#include "common/precision.h"
#include "common/testing/assert_close.h"
#include "common/testing/contract/attention_contract.h"
#include "common/testing/variant.h"
#include "common/threads.h"

/* --- Steps on targets ----------------------------------------------------- */

typedef struct {
    const char *target, *name;
    const bf16_kernel *kernel;
    const bf16_kernel *model;
} bf16_on_target;

#define STEP(step, target, model)                                              \
    {                                                                          \
#target, #step " on " #target, &step##_##target, &step##_##model       \
    }
#define X(target)                                                              \
    STEP(flash2_amx_plain, target, model),                                     \
        STEP(flash2_amx_overlap, target, model),                               \
        STEP(flash2_amx, target, model),
static const bf16_on_target kernels[] = {AMX_TARGETS
#undef X
#define X(target) STEP(flash2_pairs, target, pairs_model),
                                             PAIRS_TARGETS};
#undef X

#define COUNT (sizeof kernels / sizeof kernels[0])

/* The steps that this machine can run, if FLASH2_TILES selects no other. */
static attention_step here[COUNT + 1];

static const bf16_on_target *kernel_of(const attention_step *step)
{
    size_t k = 0;

    while (strcmp(kernels[k].name, step->name) != 0)
        k++;
    return &kernels[k];
}

static int attend(const attention_step *step, const layer *l, memory *mem)
{
    return attend_in_bf16(kernel_of(step)->kernel, l, mem);
}

static bool has_all_rules(const attention_step *s)
{
    return kernel_of(s)->kernel->all_rules;
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

/* Fills tiles with random numbers of the kind and computes C += A B by k and by
 * its model. A NaN may have any bits. */
static void compare_products(const bf16_on_target *k, int kind,
                             random_source *source)
{
    _Alignas(64) float tiles[3][TILE_FLOATS];
    _Alignas(64) float other[TILE_FLOATS];

    for (size_t n = 0; n < 3 * TILE_FLOATS; n++) {
        uint16_t bits[2] = {number(source, kind, n < TILE_FLOATS),
                            number(source, kind, n < TILE_FLOATS)};

        memcpy(&tiles[n / TILE_FLOATS][n % TILE_FLOATS], bits, sizeof bits);
    }
    memcpy(other, tiles[0], sizeof other);
    k->kernel->product(tiles[0], tiles[1], tiles[2]);
    k->model->product(other, tiles[1], tiles[2]);
    for (size_t n = 0; n < TILE_FLOATS; n++)
        if (memcmp(&tiles[0][n], &other[n], sizeof(float)) != 0 &&
            !(isnan(tiles[0][n]) && isnan(other[n])))
            fail_msg("kind %d: C[%zu] is %.9g by %s, %.9g by the model", kind,
                     n, (double)tiles[0][n], k->target, (double)other[n]);
}

TEST(products_have_the_same_bits_as_in_the_model)
{
    bool any = false;

    for (size_t k = 0; k < COUNT; k++) {
        if (kernels[k].kernel == kernels[k].model ||
            !bf16_target_runs(kernels[k].target))
            continue;
        any = true;
        for (int kind = 0; kind < KINDS; kind++) {
            random_source source = variant_seed(70 + (uint64_t)kind);

            for (size_t n = 0; n < 300; n++)
                compare_products(&kernels[k], kind, &source);
        }
    }
    if (!any) {
        print_message("left out: no AMX and no AVX512-BF16\n");
        skip();
    }
}

/* By Intel's manual VDPBF16PS adds the product of the upper halves first, and
 * rounds after each product. */
TEST(a_product_of_pairs_is_rounded_after_each_term)
{
    const struct {
        float sum, low[2], high[2], expected;
    } rows[] = {
        {0, {1.5f, 1.25f}, {3, 7}, 22.875f},
        {1, {0x1p-30f, 1}, {-1, 1}, 0x1p-30f},
        {1, {-1, 1}, {0x1p-30f, 1}, 0},
        {1, {0x1p-24f, 1}, {0x1p-24f, 1}, 1},
        {0x1p-127f, {0, 0}, {0, 0}, 0},        /* the sum */
        {1, {0, 0}, {0x1p-127f, 0x1p126f}, 1}, /* an input */
        {1, {0x1p126f, 0x1p-127f}, {0, 0}, 1},
        {0, {0x1p-60f, 0x1p-67f}, {0x1p-60f, 0x1p-67f}, 0}, /* the results */
    };

    for (size_t k = 0; k < COUNT; k++)
        for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
            _Alignas(64) float x[3][TILE_FLOATS] = {{rows[n].sum}};

            if (!kernels[k].kernel->all_rules ||
                !bf16_target_runs(kernels[k].target))
                continue;
            for (size_t f = 0; f < 2; f++) {
                uint16_t pair[] = {to_bf16(rows[n].low[f]),
                                   to_bf16(rows[n].high[f])};

                memcpy(x[1 + f], pair, sizeof pair);
            }
            kernels[k].kernel->product(x[0], x[1], x[2]);
            assert_close(x[0][0], rows[n].expected, 0);
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
    if (seed % 8 == 2)
        c.h.rule.softcap = 3;
    if (seed % 8 == 4)
        c.h.rule.slope = 0.25f;
    if (seed % 8 == 6) {
        case_mask(&c);
        for (size_t i = 0; i < Nq; i++)
            for (size_t j = random_below(source, 3); j < Nk; j += 3)
                mask_of(&c, i)[j] = j % 2 ? -INFINITY : 0.5f;
    }
    return c;
}

static bool is_supported(const attention_step *s, const attention_case *c)
{
    const rule *r = &c->h.rule;

    return has_all_rules(s) ||
           !(r->softcap > 0 || r->slope > 0 || r->mask.hbm.data);
}

TEST(results_of_random_problems_are_within_the_tolerance)
{
    const char *more = getenv("RANDOM_CASES");
    uint64_t most = more ? strtoull(more, NULL, 10) : 100 / one_in(3);
    random_source source = variant_seed(71);

    for (uint64_t seed = 1; seed <= most; seed++) {
        auto_case c = random_case(&source, seed);

        case_expect(&c, here);
        for (const attention_step *s = here; s->name; s++) {
            if (!is_supported(s, &c))
                continue;
            case_run(&c, s);
            case_check(&c, s);
        }
    }
}

/* The sum of the rounded weights would give an error of up to 2^-9. */
TEST(L_by_pairs_is_as_exact_as_in_fp32)
{
    for (const attention_step *s = here; s->name; s++)
        for (uint64_t seed = 1; seed <= 20 && has_all_rules(s); seed++) {
            auto_case c = case_of(70, seed % 2 ? 3 : 150, 40, 33);

            case_random(&c, seed);
            case_expect(&c, s);
            case_run(&c, s);
            for (size_t i = 0; i < 70; i++)
                assert_close(*row(c.h.L.hbm, i), c.L[i], 1e-5);
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
            attention_step amx = {kernels[k].name, .run_layer = attend};
            attention_step model = amx;

            for (size_t m = 0; m < COUNT; m++)
                if (kernels[m].kernel == kernels[k].model)
                    model.name = kernels[m].name;
            if (strcmp(kernels[k].target, "amx") != 0 ||
                !bf16_target_runs("amx") || !is_supported(&amx, &c))
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

/* flash2 computes the block of queries, from inputs rounded to bf16. */
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
        /* Only query 99 sees key 99, but block 2 of 32 queries loads the key,
         * too. */
        v_of(&c, 99)[0] = NAN;
        case_expect(&c, s);
        assert_int_equal(fallbacks_of(s, &c), has_all_rules(s) ? 2 : 3);
    }
}

/* --- Threads, prefetching, refusals --------------------------------------- */

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
            for (size_t threads = 1; threads <= 8;
                 threads += threads < 3 ? 1 : one_in(5)) {
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

/* The ends of the rows of Q, K and V that were in `next` until now. */
static const uint16_t *ends[3];

static size_t no_floats(const head *h)
{
    (void)h;
    return 0;
}

static void pack_nothing(const head *h, size_t j, float *packed)
{
    (void)h, (void)j, (void)packed;
}

static bool record_next(const head *h, const head *next, const float *packed,
                        size_t i0, float *state)
{
    const array a[] = {next->Q, next->K, next->V};

    (void)h, (void)packed, (void)i0, (void)state;
    for (size_t k = 0; k < 3 && next->Nk; k++) {
        assert_ptr_equal(a[k].narrow, ends[k]);
        ends[k] += a[k].hbm.rows * a[k].hbm.cols;
    }
    return true;
}

/* A thread that computes heads alone prefetches each row of the next once. */
TEST(the_blocks_of_a_head_prefetch_the_next_head)
{
    enum { HEADS = 8, NQ = 70, NK = 90, D = 3, DV = 5 };
    static uint16_t Q[HEADS * NQ * D], K[HEADS * NK * D], V[HEADS * NK * DV];
    const bf16_kernel kernel = {32,          BF16,      true,
                                no_floats,   no_floats, pack_nothing,
                                record_next, NULL,      NULL};
    const layer l = {.B = 2,
                     .Hq = HEADS / 2,
                     .Hk = HEADS / 2,
                     .mask_B = 1,
                     .mask_H = 1,
                     .each = {.Nq = NQ,
                              .Nk = NK,
                              .d = D,
                              .dv = DV,
                              .Q = {.hbm = {NULL, NQ, D, D}, .narrow = Q},
                              .K = {.hbm = {NULL, NK, D, D}, .narrow = K},
                              .V = {.hbm = {NULL, NK, DV, DV}, .narrow = V}}};
    const size_t usual = thread_count();
    memory mem;

    ends[0] = Q + NQ * D;
    ends[1] = K + NK * D;
    ends[2] = V + NK * DV;
    memory_init(&mem, MEMORY_UNBOUNDED);
    use_threads(1);
    assert_int_equal(attend_in_bf16(&kernel, &l, &mem), MEMORY_OK);
    use_threads(usual);
    memory_reset(&mem);
    assert_ptr_equal(ends[0], Q + HEADS * NQ * D);
    assert_ptr_equal(ends[1], K + HEADS * NK * D);
    assert_ptr_equal(ends[2], V + HEADS * NK * DV);
}

static void refuses(attention_case *c, bool by_all, const char *words)
{
    for (const attention_step *s = here; s->name; s++) {
        memory mem;

        if (has_all_rules(s) && !by_all)
            continue;
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

    refuses(&c, false,
            "d 257, dv 4, 3 keys: too large for a matrix unit; at most 256 "
            "columns, 1073741823 keys");
    case_random(&mask, 1);
    mask.h.rule.softcap = 2;
    refuses(&mask, false,
            "softcap: not supported by this step; flash2_simd supports it");
    mask.h.rule.softcap = 0;
    mask.h.rule.slope = 1;
    refuses(&mask, false, "ALiBi: not");
    mask.h.rule.slope = 0;
    mask.h.V.narrow = halves;
    mask.h.V.type = FP16;
    refuses(&mask, true, "fp16: not");
    mask.h.V.narrow = NULL;
    mask.h.V.type = FP32;
    case_mask(&mask);
    refuses(&mask, false, "mask: not");
}

TEST(an_unknown_target_is_refused_by_name)
{
    auto_case c = case_of(1, 1, 1, 1);
    const char *was = getenv("FLASH2_TILES");
    char *kept = strdup(was ? was : "");
    memory mem;

    case_random(&c, 1);
    for (const attention_step *s = chapter_06_bf16; s->name; s++) {
        for (size_t k = 0; k < 2; k++) {
            setenv("FLASH2_TILES", k ? "vdpbf16" : "abacus", 1);
            memory_init(&mem, MEMORY_UNBOUNDED);
            assert_int_equal(step_run(s, &c.h, &mem), MEMORY_REFUSED);
            assert_non_null(strstr(
                mem.message, k ? "FLASH2_TILES: vdpbf16 was removed; pairs uses"
                               : "FLASH2_TILES: no target abacus here ("));
            memory_reset(&mem);
        }
        setenv("FLASH2_TILES", s == flash2_pairs_step ? "pairs_model" : "model",
               1);
        check_case(s, &c);
    }
    setenv("FLASH2_TILES", kept, 1);
    free(kept);
}

/* NULL: split_kv_simd, which runs flash2_simd for many queries. */
TEST(the_library_s_step_depends_on_the_CPU_and_on_FLASH2_TILES)
{
    const struct {
        const char *tiles;
        size_t Nq, d;
        const char *step;
    } rows[] = {
        {"model", 17, 8, "flash2_amx"},
        {"model", 16, 8, NULL},
        {"model", 17, 257, NULL},
        {"pairs_model", 17, 8, "flash2_pairs"},
        {"pairs_model", 17, 257, "flash2_pairs"},
        {"pairs", 17, 8, "flash2_pairs"},
        {"pairs", 16, 8, NULL},
        {"", 17, 8, NULL}, /* one block of keys */
    };
    const char *was = getenv("FLASH2_TILES");
    char *kept = strdup(was ? was : "");

    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        auto_case c = case_of(rows[n].Nq, 3, rows[n].d, 8);
        layer l = layer_of(&c.h);

        setenv("FLASH2_TILES", rows[n].tiles, 1);
        assert_string_equal(bf16_step(&l) ? bf16_step(&l)->name : "-",
                            rows[n].step ? rows[n].step : "-");
    }
    setenv("FLASH2_TILES", "model", 1);
    assert_null(bf16_instructions());
    assert_true(bf16_peak(1) == 0);
    setenv("FLASH2_TILES", kept, 1);
    free(kept);
    assert_true(pairs_are_faster("AuthenticAMD", 26));
    assert_false(pairs_are_faster("AuthenticAMD", 25));
    assert_false(pairs_are_faster("GenuineIntel", 6));
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
        const char *target = kernels[k].target;
        bool all_rules = kernels[k].kernel->all_rules;

        if (!bf16_target_runs(target) ||
            (only && *only && strcmp(only, target) != 0))
            continue;
        here[n] = (attention_step){
            .name = kernels[k].name, .type = BF16, .run_layer = attend};
        if (!all_rules)
            here[n].weight_error = flash2_amx_step->weight_error;
        /* Emulated vectors are slow. No problem has as much work. */
        excuses[n] = (attention_excuse){
            here[n].name, all_rules ? 0 : MASKS | SOFTCAPS,
            kernels[k].kernel == kernels[k].model ? 5000000 : 0,
            all_rules ? 0 : WIDEST};
        n++;
    }
    return run_attention_tests("bf16", here, excuses);
}
