/*
 * The program that `./run --trace` of chapter 04 becomes. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"
#include "common/print/report.h"

int main(void)
{
    return report_end(trace_tiled_attention());
}
