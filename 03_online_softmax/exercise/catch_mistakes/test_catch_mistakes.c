/*
 * Calls finds_mistake with hidden softmaxes. Each test has a wrong one and a
 * right one in a random order, so a constant passes no test.
 *
 * For the grader:
 *   asks: floats softmax(floats scores)
 *   finds_mistake: =>
 */
#include "catch_mistakes.h"

#include <math.h>
#include <string.h>

#include "common/exponential.h"
#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

static float largest(floats s)
{
    float m = -INFINITY;

    for (size_t i = 0; i < s.n; i++)
        m = fmaxf(m, s.x[i]);
    return m;
}

/* Returns the weights e^{x - m} / l of the scores x. */
static floats divided(floats s, float m, float l)
{
    for (size_t i = 0; i < s.n; i++)
        s.x[i] = l == 0 ? 0 : exp_minus(s.x[i], m) / l;
    return s;
}

static floats relative_to(floats s, float m)
{
    float l = 0;

    for (size_t i = 0; i < s.n; i++)
        l += exp_minus(s.x[i], m);
    return divided(s, m, l);
}

/* Blocks of 16 scores. If `rescales`, multiplies the old sum by e^{m - m_new}
 * when the maximum grows. */
static floats in_blocks(floats s, bool rescales)
{
    float m = -INFINITY, l = 0;

    for (size_t first = 0; first < s.n; first += 16) {
        floats block = {s.n - first < 16 ? s.n - first : 16, {0}};
        float m_new;

        memcpy(block.x, s.x + first, block.n * sizeof *s.x);
        m_new = fmaxf(m, largest(block));
        l *= rescales ? exp_minus(m, m_new) : 1;
        for (size_t i = 0; i < block.n; i++)
            l += exp_minus(block.x[i], m_new);
        m = m_new;
    }
    return divided(s, m, l);
}

/* The right softmaxes. */
static floats safe(floats s)
{
    return relative_to(s, largest(s));
}

static floats merged(floats s)
{
    return in_blocks(s, true);
}

static floats by_logsumexp(floats s)
{
    float m = largest(s), l = 0, L;

    for (size_t i = 0; i < s.n; i++)
        l += exp_minus(s.x[i], m);
    L = m + logf(l);
    for (size_t i = 0; i < s.n; i++)
        s.x[i] = exp_minus(s.x[i], L);
    return s;
}

static floats rounded(floats s)
{
    s = merged(s);
    for (size_t i = 0; i < s.n; i++)
        s.x[i] = roundf(1024 * s.x[i]) / 1024;
    return s;
}

/* The wrong softmaxes. */
/* Like naive softmax, but right for low scores. */
static floats overflows(floats s)
{
    return relative_to(s, fminf(0, largest(s)));
}

static floats starts_at_0(floats s)
{
    return relative_to(s, fmaxf(0, largest(s)));
}

static floats unguarded(floats s)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < s.n; i++) {
        float m_new = fmaxf(m, s.x[i]);

        l = l * expf(m - m_new) + expf(s.x[i] - m_new);
        m = m_new;
    }
    return divided(s, m, l);
}

static floats blocks_just_added(floats s)
{
    return in_blocks(s, false);
}

/* Equal weights if all scores are -inf. */
static floats never_empty(floats s)
{
    if (largest(s) == -INFINITY)
        memset(s.x, 0, sizeof s.x);
    return merged(s);
}

static floats of_powers_of_2(floats s)
{
    for (size_t i = 0; i < s.n; i++)
        s.x[i] *= 0.6931472f;
    return merged(s);
}

/* The softmax that finds_mistake calls, and the first wrong weight that it has
 * returned, if `wrong`. */
static softmax_function *hidden;
static struct {
    size_t calls;
    bool wrong;
    size_t n, i;
    double score, got, want;
    floats last_row;
} seen;

static floats softmax(floats s)
{
    double want[MOST_SCORES], L;
    floats p;

    if (++seen.calls > MOST_CALLS)
        fail_msg("softmax was called more than %d times", MOST_CALLS);
    if (s.n < 1 || s.n > MOST_SCORES)
        fail_msg("softmax was called with n = %zu; allowed: 1 to %d", s.n,
                 MOST_SCORES);
    for (size_t i = 0; i < s.n; i++)
        if (!(fabsf(s.x[i]) <= 10000) && s.x[i] != -INFINITY)
            fail_msg("softmax was called with a score of %g; allowed: -10000 "
                     "to 10000, or -inf",
                     (double)s.x[i]);
    seen.last_row = s;
    p = hidden(s);
    reference_softmax(s.x, want, s.n, &L);
    for (size_t i = 0; i < s.n; i++) {
        double right = L == -HUGE_VAL ? 0 : want[i], got = (double)p.x[i];

        if (!seen.wrong && !is_close(got, right, 0.001)) {
            seen.wrong = true;
            seen.n = s.n;
            seen.i = i;
            seen.score = (double)s.x[i];
            seen.got = got;
            seen.want = right;
        }
    }
    return p;
}

typedef struct {
    const char *test;
    softmax_function *wrong, *right;
    const char *why;
} entry;

/* Wrong softmaxes, with the question that leads to a row on which they are
 * wrong. Then right ones, with the reason. */
static const entry entries[] = {
    {"one_wrong_weight_is_found", of_powers_of_2, safe,
     "its weights are wrong, although their sum is 1"},
    {"an_overflow_is_found", overflows, safe,
     "for which scores is e^x too large for a float?"},
    {"an_underflow_is_found", starts_at_0, safe,
     "all scores of a row may be so low that every e^x is 0"},
    {"a_masked_first_score_is_tried", unguarded, safe,
     "what is -inf - -inf, and where does online softmax compute it?"},
    {"a_row_without_visible_scores_is_tried", never_empty, safe,
     "all scores of a row may be -inf: what are its weights then?"},
    {"a_second_block_is_tried", blocks_just_added, safe,
     "what happens to the sum of a block when a later block has a larger "
     "maximum?"},
    {"another_order_of_sums_is_right", of_powers_of_2, merged,
     "only the last digits of its weights differ: compare with a tolerance"},
    {"rounded_weights_are_right", of_powers_of_2, rounded,
     "its weights are rounded to multiples of 1/1024, so each has an error of "
     "up to 0.0005"},
    {"the_form_with_L_is_right", of_powers_of_2, by_logsumexp,
     "it computes e^{x - L}, and L is a float"},
};

static void check(const void *row)
{
    const entry *e = row;
    random_source source = variant_seed(70 + (uint64_t)(e - entries));
    bool wrong = false;

    for (int k = 0; k < 10; k++) {
        const char *why = e->why;
        int found;

        wrong = k == 9 ? !wrong : random_below(&source, 2) == 1;
        hidden = wrong ? e->wrong : e->right;
        memset(&seen, 0, sizeof seen);
        found = finds_mistake(softmax);
        if (wrong == (found != 0))
            continue;
        if (!wrong)
            why = e->right == safe ? "compare each weight, with the "
                                     "tolerance of the task"
                                   : e->why;
        else if (isnan(seen.got))
            why = "a comparison with NaN is false";
        else if (e->right != safe)
            why = entries[0].why;
        print_error("a %s softmax was called %s: %s\n",
                    wrong ? "wrong" : "right", wrong ? "right" : "wrong", why);
        if (wrong && seen.wrong)
            print_error("  finds_mistake saw it: score %zu of %zu is %g, and "
                        "its weight %g; right is %g\n",
                        seen.i, seen.n, seen.score, seen.got, seen.want);
        if (!wrong && seen.calls)
            print_error("  the last row that finds_mistake asked for has n = "
                        "%zu, and %g is its largest score\n",
                        seen.last_row.n, (double)largest(seen.last_row));
        fail();
    }
}

int main(void)
{
    return run_table("catch_mistakes", check, entries);
}
