/*
 * Tests `flash judge` on rows whose whole mask is a large number, as those of
 * padded batches. The outputs are computed here in fp32, without the library.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/data/random.h"
#include "common/testing/file_check.h"
#include "common/testing/rows.h"
#include "tools/flash/commands.h"

enum { B = 2, H = 2, NQ = 24, NK = 40, D = 8, DV = 10 };
#define SIZES "--q q --k k --v v --mask mask "

static float Q[B * H * NQ * D], K[B * H * NK * D], V[B * H * NK * DV];
static float mask[B * NQ * NK], O[B * H * NQ * DV], L[B * H * NQ];

static void put_array(const char *file, const float *x, const size_t shape[4])
{
    npy_array a;

    assert_int_equal(npy_new(&a, shape[3] ? 4 : 3, shape), 0);
    memcpy(a.data, x, a.size * sizeof *x);
    assert_int_equal(npy_write(file, &a), 0);
    npy_free(&a);
}

/* In batch 1 the queries from 16 are padding: `large` masks each key. Other
 * queries of batch 1 do not see the last 10 keys. */
static void make_problem(float large)
{
    random_source r = random_seed(58);

    random_fill(&r, Q, sizeof Q / sizeof *Q, 1);
    random_fill(&r, K, sizeof K / sizeof *K, 1);
    random_fill(&r, V, sizeof V / sizeof *V, 1);
    for (size_t n = 0; n < sizeof mask / sizeof *mask; n++) {
        size_t i = n / NK % NQ, j = n % NK;

        mask[n] = n / NK < NQ || (i < 16 && j < NK - 10) ? 0 : large;
    }
    /* As in training, the gradient of a padded row is 0. */
    random_fill(&r, O, sizeof O / sizeof *O, 1);
    for (size_t n = 0; n < sizeof O / sizeof *O; n++)
        O[n] = n / DV / NQ >= H && n / DV % NQ >= 16 ? 0 : O[n];
    put_array("do", O, (size_t[]){B, H, NQ, DV});
    put_array("q", Q, (size_t[]){B, H, NQ, D});
    put_array("k", K, (size_t[]){B, H, NK, D});
    put_array("v", V, (size_t[]){B, H, NK, DV});
    put_array("mask", mask, (size_t[]){B, 1, NQ, NK});
}

/* How a mask is added to the scores: in fp32, in fp32 in base 2, in float64, or
 * in float64 without the part that all masks of the row share. */
typedef enum { IN_FP32, IN_BASE_2, IN_FLOAT64, RELATIVE, WAYS } way;

static double masked_score(const float *q, const float *k, float add, way in)
{
    const float log2_e = 1.44269504f;
    double exact = 0;
    float dot = 0;

    for (size_t c = 0; c < D; c++) {
        dot += q[c] * k[c];
        exact += (double)q[c] * (double)k[c];
    }
    dot *= 1 / sqrtf(D);
    if (in == IN_FP32) {
        dot += add;
        return (double)dot;
    }
    if (in == IN_BASE_2) {
        dot *= log2_e;
        add *= log2_e;
        dot += add;
        return (double)dot * log(2);
    }
    return exact / sqrt(D) + (double)add;
}

/* Added to the score of a padded row's key 5, as if its sum were rounded in the
 * other direction. */
static double nudge;

static void attend(size_t nth, size_t i, size_t keys, way in)
{
    const float *q = Q + (nth * NQ + i) * D, *k = K + nth * NK * D;
    const float *masks = mask + (nth / H * NQ + i) * NK;
    double s[NK], m = -HUGE_VAL, l = 0, sums[DV] = {0};
    float shared = in == RELATIVE ? masks[0] : 0;

    for (size_t j = 0; j < keys; j++) {
        s[j] = masked_score(q, k + j * D, masks[j] - shared, in);
        s[j] += nth >= H && i >= 16 && j == 5 ? nudge : 0;
        m = fmax(m, s[j]);
    }
    for (size_t j = 0; j < keys; j++) {
        double p = exp(s[j] - m);

        l += p;
        for (size_t c = 0; c < DV; c++)
            sums[c] += p * (double)V[(nth * NK + j) * DV + c];
    }
    for (size_t c = 0; c < DV; c++)
        O[(nth * NQ + i) * DV + c] = (float)(sums[c] / l);
    L[nth * NQ + i] = (float)(m + log(l) + (double)shared);
}

static void attend_all(bool causal, way in)
{
    for (size_t n = 0; n < (size_t)B * H * NQ; n++)
        attend(n / NQ, n % NQ, causal ? n % NQ + NK - NQ + 1 : NK, in);
}

static void judge(bool causal, int status)
{
    const command c = {
        causal ? SIZES "--o o --lse l --causal" : SIZES "--o o --lse l", status,
        NULL, status ? "wrong: 1 of 4" : "wrong: 0 of 4"};

    put_array("o", O, (size_t[]){B, H, NQ, DV});
    put_array("l", L, (size_t[]){B, H, NQ, 0});
    check_commands(judge_command, &c, 1);
}

/* Judges the outputs with a wrong row, and restores the row. */
static void judge_wrong(bool causal, size_t row, const float wrong[DV])
{
    float right[DV];

    memcpy(right, O + row * DV, sizeof right);
    memcpy(O + row * DV, wrong, sizeof right);
    judge(causal, 1);
    memcpy(O + row * DV, right, sizeof right);
}

typedef struct {
    const char *test;
    float large;
} entry;

static void check_right(const void *row)
{
    const entry *e = row;
    const command backward = {
        SIZES "--grad-out do --grad-q dq --grad-k dk --grad-v dv", 0};
    const command right = {SIZES "--grad-out do --dq dq --dk dk --dv dv", 0};
    const command own[][2] = {
        {{SIZES "--out o --lse l", 0}, {SIZES "--out o --lse l --causal", 0}},
        {{SIZES "--o o --lse l", 0}, {SIZES "--o o --lse l --causal", 0}}};

    make_problem(e->large);
    for (int causal = 0; causal < 2; causal++) {
        for (way in = IN_FP32; in < WAYS; in++) {
            if (in == IN_BASE_2 && fabsf(e->large) > FLT_MAX / 2)
                continue; /* large / ln 2 overflows */
            attend_all(causal, in);
            judge(causal, 0);
        }
        nudge = fabsf(e->large) > 1e6f
                    ? 0
                    : (double)(nextafterf(e->large, 0) - e->large);
        attend_all(causal, IN_FP32);
        judge(causal, 0);
        nudge = 0;
        check_commands(attention_command, &own[0][causal], 1);
        check_commands(judge_command, &own[1][causal], 1);
    }
    if (e->large > 0) /* L has no digits left for ln l */
        return;
    check_commands(backward_command, &backward, 1);
    check_commands(judge_command, &right, 1);
}

/* Row 16 of head (1, 0) is padding, and row 3 is not. */
static void check_wrong(const void *row)
{
    const entry *e = row;
    const size_t padded = (size_t)H * NQ + 16, usual = (size_t)H * NQ + 3;
    float wrong[DV] = {0};

    make_problem(e->large);
    for (int causal = 0; causal < 2; causal++) {
        attend_all(causal, IN_FP32);
        judge_wrong(causal, padded, wrong);
        judge_wrong(causal, padded, V + (size_t)H * NK * DV);
        judge_wrong(causal, padded, (float[DV]){NAN});
        for (size_t c = 0; c < DV; c++)
            wrong[c] = O[usual * DV + c] * 1.01f;
        judge_wrong(causal, usual, wrong);
        memset(wrong, 0, sizeof wrong);
        L[usual] *= 1.01f;
        judge(causal, 1);
    }
    /* From 1e9 on the weights are equal, so the last key is 2.5% of a row. */
    if (e->large > -1e9f)
        return;
    attend_all(false, IN_FP32);
    attend(H, 16, NK - 1, IN_FP32);
    judge(false, 1);
}

static void check_entry(const void *row)
{
    enter_empty_directory(NULL);
    check_right(row);
    check_wrong(row);
    leave_directory(NULL);
}

int main(void)
{
    static const entry entries[] = {
        {"padded_rows_are_judged_as_fp32_adds_the_mask", -1e4f},
        {SAME_TEST, -1e5f},
        {SAME_TEST, -1e6f},
        {SAME_TEST, -1e7f},
        {SAME_TEST, -3e7f},
        {SAME_TEST, -1e8f},
        {SAME_TEST, -1e9f},
        {SAME_TEST, -1e15f},
        {SAME_TEST, -3.4e38f},
        {SAME_TEST, 1e9f},
    };

    return run_table("large masks", check_entry, entries);
}
