/*
 * From `./run --backward` to the program of the backward pass, which is one of
 * its own (attention_program.h).
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include "common/program/attention_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool asks_backward(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--backward") == 0)
            return true;
    return false;
}

int become_backward(char **argv)
{
    char *self = realpath(argv[0], NULL); /* ./run is a link */
    char *slash = self ? strrchr(self, '/') : NULL;
    char program[4096];

    snprintf(program, sizeof program, "%.*s/backward/run",
             slash ? (int)(slash - self) : 1, slash ? self : ".");
    free(self);
    execv(program, argv);
    fprintf(stderr, "%s: cannot run: %s (make chapter-NN makes it)\n", program,
            strerror(errno));
    return 1;
}
