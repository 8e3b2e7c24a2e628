/*
 * Online softmax key by key: what the loop of
 * 03_online_softmax/online_softmax.c holds after each, by that chapter's own
 * merge and exponential. A bar for each key is l after it, as the sum of what
 * all keys so far add; where the maximum grew, the dashed outline is l before
 * its rescaling.
 */
#include "tools/book/steps/steps.h"

#include "03_online_softmax/steps.h"
#include "common/exp_minus.h"
#include "common/matrix.h"

enum { ROW = 34, HIGH = 18 };

static const double LEFT = 84, WIDE = 330;

static softmax_state state[1 + MOST_NUMBERS]; /* [k + 1]: after key k */

/* e^(m before - m), what the past is multiplied by at key k. */
static float alpha(size_t k)
{
    return exp_minus(state[k].m, state[k + 1].m);
}

static void bar(size_t k, double scale)
{
    double x = LEFT, y = (double)(k * ROW + 8),
           old = scale * (double)state[k].l;
    double l = (double)state[k + 1].l;

    for (size_t j = 0; j <= k; j++) {
        double wide = scale * (double)exp_minus(numbers[j], state[k + 1].m);

        rect(j == k ? "new" : "past", x, y, wide, HIGH);
        x += wide;
    }
    if (k == 0 || alpha(k) == 1) {
        label("", "start", x + 8, y + 14, "l = %.5f", l);
        return;
    }
    rect("was", LEFT, y, old, HIGH);
    label("", "start", fmax(x, LEFT + old) + 8, y + 14, "l = %.5f, past × %.5f",
          l, (double)alpha(k));
}

void show_online(size_t n, size_t shown)
{
    float y[MOST_NUMBERS], most = 1;
    softmax_row r = {.n = n, .x = numbers, .y = y, .type = FP32};

    state[0] = (softmax_state){-INFINITY, 0};
    for (size_t k = 0; k < n; k++) {
        state[k + 1] = merge(state[k], (softmax_state){numbers[k], 1});
        most = fmaxf(most, state[k + 1].l);
    }
    svg(n * ROW + 6, "The sum l after each key, as a bar; the table below has "
                     "the numbers");
    for (size_t k = 0; k < n; k++) {
        label(k < shown ? "score" : "score later", "end", 76,
              (double)(k * ROW + 22), "%.3f", (double)numbers[k]);
        if (k < shown)
            bar(k, WIDE / (double)most);
    }
    add("</svg></div>\n");

    table("states");
    row_of("th", "th", "key|x|m|alpha|e^(x − m)|l");
    for (size_t k = 0; k < shown; k++) {
        softmax_state now = state[k + 1];

        if (k + 1 == shown)
            add("</tbody><tbody class=\"now\">\n");
        row_of("td", "td", "%zu|%.5f|%.5f|%.5f|%.5f|%.5f", k + 1,
               (double)numbers[k], (double)now.m, (double)alpha(k),
               (double)exp_minus(numbers[k], now.m), (double)now.l);
    }
    add("</table></div>\n");
    if (shown == n) {
        online_softmax(&r);
        add("<p class=\"result\">Second pass, y = e^(x − m) / l:");
        for (size_t k = 0; k < n; k++)
            add(" %.5f", (double)y[k]);
        add(". L = m + ln l = %.5f.</p>\n", (double)r.L);
    }
}
