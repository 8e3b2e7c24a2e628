/*
 * Measures errors against float64 on rows of scores in ascending order: 64 rows
 * for each length and each standard deviation, 1 and 4. Prints a tab-separated
 * table: the root mean square errors over the rows, online_softmax's divided by
 * safe_softmax's, and minimum, median and maximum of this ratio in single rows.
 *
 *     build/docs/lab/rising >build/lab/rising.tsv
 *
 * The rows are seeded: two runs on one machine print the same bytes.
 * docs/03_online_softmax.md
 */
#include <stdio.h>

#include "03_online_softmax/precision_loss.h"
#include "common/print/report.h"
#include "docs/lab/bench_problem.h"

enum { ROWS = 64, SHORTEST = 1 << 10, LONGEST = 1 << 20 };
enum { SAFE, ONLINE, MERGED };

static int print_line(double sigma, size_t n)
{
    const score_rows rising = {
        .name = "rising", .kind = SORTED, .spread = sigma, .seed = LOSS_SEED};
    double each[ROWS][COMPARED], ratio[ROWS];
    row_loss loss[COMPARED];

    progress("sigma %g: rows of %zu scores", sigma, n);
    if (softmax_loss(rising, FP32, n, ROWS, 64, loss, each))
        return 1;
    for (size_t k = 0; k < ROWS; k++)
        ratio[k] = each[k][ONLINE] / each[k][SAFE];
    printf("%g\t%zu\t%d\t%.2e\t%.2e\t%.2e\t%.3g\t%.3g\t%.3g\t%.3g\n", sigma, n,
           ROWS, loss[SAFE].relative, loss[ONLINE].relative,
           loss[MERGED].relative, loss[ONLINE].relative / loss[SAFE].relative,
           quantile(ratio, ROWS, 0), quantile(ratio, ROWS, 0.5),
           quantile(ratio, ROWS, 1));
    return 0;
}

int main(void)
{
    int failed = 0;

    puts("sigma\tn\trows\tsafe_softmax\tonline_softmax\tmerged_softmax\t"
         "ratio\tleast\tmiddle\tmost");
    for (double sigma = 1; sigma <= 4 && !failed; sigma *= 4)
        for (size_t n = SHORTEST; n <= LONGEST && !failed; n *= 2)
            failed = print_line(sigma, n);
    progress_done();
    return report_end(failed);
}
