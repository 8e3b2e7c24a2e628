/*
 * Linux's counters (interface.h): a line each, "eth0: bytes received, seven
 * more numbers, bytes sent, ...".
 */
#include "06_flash2/ring/program/interface.h"

#include <stdio.h>
#include <string.h>

double interface_sent(void)
{
    FILE *file = fopen("/proc/net/dev", "r");
    char line[400];
    double all = 0, sent;

    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');

        if (colon && !strstr(line, " lo:") &&
            sscanf(colon + 1, "%*s %*s %*s %*s %*s %*s %*s %*s %lf", &sent) ==
                1)
            all += sent;
    }
    if (file)
        fclose(file);
    return all;
}
