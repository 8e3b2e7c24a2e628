/* The main function of test programs that do not define another one. */
#include "common/testing/run_tests.h"

#include <string.h>

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;

    return run_tests(slash ? slash + 1 : "tests");
}
