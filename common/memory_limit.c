#include "common/memory_limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 4200 }; /* a path has at most 4096 bytes */

/* Returns the number after `key` at the begin of a line, or infinity if the
 * file or the line is missing, or for the word max. */
static double number_in(const char *file, const char *key)
{
    double n = (double)INFINITY;
    char line[LINE];
    FILE *lines = fopen(file, "r");

    while (lines && isinf(n) && fgets(line, sizeof line, lines))
        if (strncmp(line, key, strlen(key)) == 0)
            sscanf(line + strlen(key), "%lf", &n);
    if (lines)
        fclose(lines);
    return n;
}

/* Returns the smallest limit in `file` of the cgroup with this path, and of the
 * groups above it. Removes the last folders from the path. A container may see
 * only some of them. */
static double smallest_limit(const char *mount, char *path, const char *file)
{
    double least = (double)INFINITY;
    char name[2 * LINE];
    char *slash;

    do {
        slash = strrchr(path, '/');
        snprintf(name, sizeof name, "%s%s/%s", mount, path, file);
        least = fmin(least, number_in(name, ""));
        if (slash)
            *slash = '\0';
    } while (slash);
    return least;
}

/* Each line of /proc/self/cgroup is "number:controllers:/path". Version 2 has
 * no controllers. */
static double limit_of_cgroups(const char *root)
{
    double least = (double)INFINITY;
    char line[LINE], mount[LINE], *first, *path;
    FILE *lines;

    snprintf(mount, sizeof mount, "%s/proc/self/cgroup", root);
    lines = fopen(mount, "r");
    while (lines && fgets(line, sizeof line, lines)) {
        first = strchr(line, ':');
        path = first ? strchr(first + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root,
                 first[1] ? "/memory" : "");
        if (!first[1])
            least = fmin(least, smallest_limit(mount, path, "memory.max"));
        else if (strstr(first, "memory"))
            least = fmin(least,
                         smallest_limit(mount, path, "memory.limit_in_bytes"));
    }
    if (lines)
        fclose(lines);
    return least;
}

memory_limit memory_limit_of(const char *root)
{
    char file[LINE];
    double cgroup = limit_of_cgroups(root), machine;

    snprintf(file, sizeof file, "%s/proc/meminfo", root);
    machine = 1024 * number_in(file, "MemTotal:");
    return (memory_limit){fmin(cgroup, machine), cgroup < machine};
}

typedef struct {
    char text[16];
} size_words;

static size_words size_text(double bytes)
{
    static const char *const units[] = {"MB", "GB", "TB", "PB", "EB"};
    double x = bytes / 1e6;
    size_t k = 0;
    size_words w;

    for (; x >= 999.95 && k + 1 < sizeof units / sizeof *units; k++)
        x /= 1000;
    snprintf(w.text, sizeof w.text, "%.1f %s", x, units[k]);
    return w;
}

bool exceeds(memory_limit limit, double needed, char why[MEMORY_WHY])
{
    if (needed <= limit.bytes)
        return false;
    snprintf(why, MEMORY_WHY, "%s (allowed: %s, the %s)",
             size_text(needed).text, size_text(limit.bytes).text,
             limit.of_cgroup ? "limit of this cgroup"
                             : "memory of this machine");
    return true;
}

bool memory_exceeded(double needed, char why[MEMORY_WHY])
{
    return exceeds(memory_limit_of(""), needed, why);
}

/* Smaller requests are not compared, because reading the limit takes longer. */
static const double few_bytes = 1 << 24;

bool memory_exceeded_by(double more, char why[MEMORY_WHY])
{
    double used;

    if (more < few_bytes)
        return false;
    used = 1024 * number_in("/proc/self/status", "VmRSS:");
    return memory_exceeded(isinf(used) ? more : used + more, why);
}
