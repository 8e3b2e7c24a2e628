/*
 * Grading of an exercise whose kernel runs on the emulator
 * (tools/grade/remote.h). The worker process runs the student's kernel and
 * sends the emulator's counts and its first finding with the result. If there
 * are only races, and the exercise has the setting `race`, the worker runs the
 * kernel again, with the threads in lockstep, and sends that result.
 *
 * In the judge process the emulator's functions return what was sent. A worker
 * can send false counts and findings. So a test of counts must be listed as
 * `counted: TEST` for the grader (CONTRIBUTING.md).
 */
#ifndef GRADE_REMOTE_CUDA_H
#define GRADE_REMOTE_CUDA_H

#include <stdlib.h>
#include <string.h>

#include "07_cuda/exercise/finding.h"
#include "tools/grade/remote.h"

static struct cuda_counts counts;

/* The emulator's finding. kind is "" if there is none. */
static struct found {
    bool repeated; /* the result is that of the run in lockstep */
    int line;
    char kind[40], file[200], text[500], where[200];
} found;

#if JUDGE
/* The linker option --wrap replaces the emulator's functions by these, because
 * the judge runs no kernel. */
struct cuda_counts __wrap_cuda_on_cpu_counts(void);
struct cuda_counts __wrap_cuda_on_cpu_counts(void)
{
    counts.kernel = "the kernel";
    return counts;
}

size_t __wrap_cuda_on_cpu_findings(void);
size_t __wrap_cuda_on_cpu_findings(void)
{
    return *found.kind != '\0';
}

struct cuda_finding __wrap_cuda_on_cpu_finding(size_t i);
struct cuda_finding __wrap_cuda_on_cpu_finding(size_t i)
{
    (void)i;
    return (struct cuda_finding){.kind = found.kind,
                                 .file = found.file,
                                 .line = found.line,
                                 .text = found.text,
                                 .where = found.where};
}

void __wrap_cuda_on_cpu_forgive(void);
void __wrap_cuda_on_cpu_forgive(void)
{
    *found.kind = '\0';
}

/* Prints a race that does not end the test. grade.py searches for the text. */
static inline void forgive_race(void)
{
    ONE_LINE(found.kind);
    ONE_LINE(found.file);
    ONE_LINE(found.text);
    ONE_LINE(found.where);
    if (!found.repeated || !*found.kind)
        return;
    print_finding(stderr);
    fputs("a second run, with all threads in lockstep, is tested\n", stderr);
    cuda_on_cpu_forgive();
}
#else
static enum cuda_effort effort; /* that of the first run */

static inline bool is_race(const char *kind)
{
    return !strncmp(kind, "race", 4);
}

/* Stores the first finding, or the first that is no race. */
static inline void note_findings(void)
{
    for (size_t i = 0; i < cuda_on_cpu_findings(); i++) {
        struct cuda_finding f = cuda_on_cpu_finding(i);

        if (*found.kind && (!is_race(found.kind) || is_race(f.kind)))
            continue;
        found.line = f.line;
        snprintf(found.kind, sizeof found.kind, "%s", f.kind);
        snprintf(found.file, sizeof found.file, "%s", f.file);
        snprintf(found.text, sizeof found.text, "%s", f.text);
        snprintf(found.where, sizeof found.where, "%s", f.where);
    }
    cuda_on_cpu_forgive();
}

/* Begins the second run if there are only races. Returns false if not. */
static inline bool repeats(void)
{
    note_findings();
    found.repeated = is_race(found.kind);
    if (found.repeated) {
        effort = cuda_on_cpu_effort();
        cuda_on_cpu_lockstep(1);
        cuda_on_cpu_set_effort(CUDA_COUNT);
    }
    return found.repeated;
}

static inline struct cuda_counts counted(void)
{
    note_findings();
    if (found.repeated) {
        found.repeated = is_race(found.kind);
        cuda_on_cpu_lockstep(0);
        cuda_on_cpu_set_effort(effort);
    }
    return cuda_on_cpu_counts();
}
#endif

#endif
