/*
 * The program that `./run --trace` of chapter 06 becomes. docs/06_flash2.md
 */
#include "06_flash2/steps.h"
#include "common/print/report.h"

int main(void)
{
    return report_end(trace_flash2());
}
