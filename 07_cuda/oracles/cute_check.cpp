/*
 * cute-check's main: all comparisons, each once as it is and once with a
 * mistake planted in CuTe's table.
 */
#include "07_cuda/oracles/comparison.h"
#include "07_cuda/cuda_on_cpu/cuda_on_cpu.h"

std::vector<comparison> &comparisons()
{
    static std::vector<comparison> all;

    return all;
}

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
        c.plant();
        outcome planted = c.compare();
        bool seen = planted.differ || cuda_on_cpu_findings() > found;
        c.plant();
        cuda_on_cpu_forgive();

        bool good = is.elements && !is.differ && !found && seen;

        printf("%-6s  %-52s %6ld elements, %ld differ", good ? "ok" : "FAILED",
               c.what, is.elements, is.differ);
        printf(seen ? "\n" : "; a planted mistake was not seen\n");
        elements += is.elements;
        failed += !good;
    }
    printf("%ld elements compared; a mistake was planted for each comparison, "
           "too\n",
           elements);
    printf("%zu passed, %d failed\n", comparisons().size() - (size_t)failed,
           failed);
    return failed != 0;
}
