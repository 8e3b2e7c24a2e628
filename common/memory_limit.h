/*
 * How much memory this process may use: the limit of its cgroup, or else the
 * machine's memory. Linux grants more than that, and stops the process when it
 * writes to it. So programs compare their needs with the limit first.
 */
#ifndef COMMON_MEMORY_LIMIT_H
#define COMMON_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* The limit in bytes, or infinity if it is unknown: on a system without /proc
 * there is none. */
typedef struct {
    double bytes;
    bool of_cgroup; /* else the machine's memory */
} memory_limit;

/* Returns the smallest limit of the process's cgroups (version 1 or 2) and the
 * machine's memory. Reads files in root/proc and root/sys; root is "" except in
 * tests. */
memory_limit memory_limit_of(const char *root);

/* Returns true if the needed bytes exceed the limit. Then stores the reason in
 * why, such as "4.0 TB (allowed: 25.3 GB, the memory of this machine)". */
enum { MEMORY_WHY = 80 };
bool exceeds(memory_limit limit, double needed, char why[MEMORY_WHY]);

/* Like exceeds, for this process: the first compares all the bytes that it
 * needs, the second those that it now has, and more bytes. */
bool memory_exceeded(double needed, char why[MEMORY_WHY]);
bool memory_exceeded_by(double more, char why[MEMORY_WHY]);

#endif
