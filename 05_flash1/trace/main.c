/*
 * The program that `./run --trace` of chapter 05 becomes. docs/05_flash1.md
 */
#include "05_flash1/steps.h"
#include "common/print/report.h"

int main(void)
{
    return report_end(trace_flash1());
}
