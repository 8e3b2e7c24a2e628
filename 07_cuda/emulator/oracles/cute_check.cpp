/*
 * cute-check's main: all comparisons.
 */
#include "07_cuda/emulator/oracles/comparison.h"
#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"

int main()
{
    long elements = 0;
    int failed = 0;

    cuda_on_cpu_print_findings(0);
    for (const comparison &c : comparisons()) {
        outcome is = c.compare();
        size_t found = cuda_on_cpu_findings();

        for (size_t k = 0; k < found; k++)
            printf("  the emulator: %s\n", cuda_on_cpu_finding(k).text);
        cuda_on_cpu_forgive();

        bool good = is.elements && !is.differ && !found;

        printf("%-6s  %-52s %6ld elements, %ld differ\n",
               good ? "ok" : "FAILED", c.what, is.elements, is.differ);
        elements += is.elements;
        failed += !good;
    }
    printf("%ld elements compared\n", elements);
    printf("%zu passed, %d failed\n", comparisons().size() - (size_t)failed,
           failed);
    return failed != 0;
}
