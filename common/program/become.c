#define _XOPEN_SOURCE 700 /* realpath */

#include "common/program/become.h"

#include "common/print/outside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int become(const char *room, char **argv)
{
    char *self = realpath(argv[0], NULL); /* ./run is a link */
    char *slash = self ? strrchr(self, '/') : NULL;
    char program[4096];

    snprintf(program, sizeof program, "%.*s/%s/run",
             slash ? (int)(slash - self) : 1, slash ? self : ".", room);
    free(self);
    execv(program, argv);
    fprintf(stderr, "%s: cannot run: %s (make chapter-NN makes it)\n",
            shown(program).text, strerror(errno));
    return 1;
}
