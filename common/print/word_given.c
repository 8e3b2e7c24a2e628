/*
 * The command line of a program that takes one word (outside.h).
 */
#include "common/print/outside.h"

#include <stdio.h>
#include <string.h>

int word_given(int argc, char **argv, const char *const known[])
{
    int k = 0;

    while (known[k] && (argc != 2 || strcmp(argv[1], known[k]) != 0))
        k++;
    if (known[k] || argc == 1)
        return k;
    fprintf(stderr, "'%s': unknown argument (allowed: one of",
            shown(argv[argc > 2 ? 2 : 1]).text);
    for (k = 0; known[k]; k++)
        fprintf(stderr, " %s", known[k]);
    fputs(", or none)\n", stderr);
    return -1;
}
