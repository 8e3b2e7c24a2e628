/*
 * print_finding prints the first mistake that the emulator found, in a form for
 * students. The emulator's own reports are turned off.
 *
 *     work/07/row_max.cu:22: race: writes of_warp + 0 bytes, which thread ...
 *
 * For a race it prints the two lines that access the same memory. An exercise
 * in which the student must find the second line defines ONE_LINE_OF_A_RACE.
 */
#ifndef EXERCISE_FINDING_H
#define EXERCISE_FINDING_H

#include <stdio.h>
#include <string.h>

#include <cuda_on_cpu.h>

#ifdef ONE_LINE_OF_A_RACE
enum { ONE_LINE = 1 };
#else
enum { ONE_LINE = 0 };
#endif

static void __attribute__((constructor)) print_no_reports(void)
{
    cuda_on_cpu_print_findings(0);
}

static inline void print_finding(FILE *to)
{
    struct cuda_finding f = cuda_on_cpu_finding(0);
    const char *other = ONE_LINE ? strstr(f.text, ", which thread") : NULL;

    fprintf(to, "%s:%d: %s: %.*s%s\n%s%s", f.file, f.line, f.kind,
            other ? (int)(other - f.text) : (int)strlen(f.text), f.text,
            other ? ", and no barrier separates it from another thread" : "",
            f.where, *f.where ? "\n" : "");
}

#endif
