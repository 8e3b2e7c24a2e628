/*
 * The options of `./run --backward`: those that no rung takes are refused, since
 * they would be ignored.
 */
#include "common/testing/file_check.h"
#include "common/testing/run_tests.h"

#include "07_cuda/backward/program.h"

static int program(int argc, char **argv)
{
    return attention_program(&cuda_back, NULL, argc, argv);
}

IN_DIRECTORY(M_tiles_and_masks_are_no_options)
{
    const command rows[] = {
        {"--backward --n 5 --sram 99", 2, "--sram", "no such option"},
        {"--backward --n 5 --br 2 --bc 2", 2, "--br", "no such option"},
        {"--backward --csv --sweep sram", 2, "--sweep", "(one of: n d)"},
        {"--backward --n 5 --alibi", 2, "--alibi", "no such option"},
        {"--backward --n 5 --sink 1", 2, "--sink", "no such option"},
        {"--backward --n 5 --d 8 --causal", 0, NULL, NULL},
    };

    CHECK_COMMANDS(program, rows);
}

int main(void)
{
    return run_tests("program");
}
