/*
 * Targets are the instruction sets for which one source is compiled. The
 * program chooses one of them at run time.
 *
 * `make` compiles fast code for this machine only, the target "native".
 * `make PORTABLE=1` compiles it for "avx512", "avx2" and "base" (any x86-64; on
 * other architectures only "base"). The program uses the first target that the
 * CPU can run. FLASH2_TARGET=avx2 in the environment selects another target.
 *
 * A source that is compiled for targets adds the target's name to the names of
 * its functions. The list of targets is an X-macro:
 *
 *     int FOR_TARGET(count)(void) ...       int count_native(void) ...
 *
 *     #define X(target) count_##target,
 *     static int (*const count[])(void) = {TARGETS};
 */
#ifndef COMMON_TARGETS_H
#define COMMON_TARGETS_H

#include <stdbool.h>
#include <stddef.h>

/* The Makefile defines TARGETS, the list of targets from best to worst, and
 * TARGET, the target for which a source is compiled. */
#ifndef TARGETS
#define TARGETS X(native)
#endif
#ifndef TARGET
#define TARGET native
#endif

#define TARGET_JOIN(name, target)    name##_##target
#define TARGET_JOIN_OF(name, target) TARGET_JOIN(name, target)
#define FOR_TARGET(name)             TARGET_JOIN_OF(name, TARGET)

size_t target_count(void);

/* True if this CPU can run target t, and FLASH2_TARGET does not select another
 * target. */
bool target_runs(size_t t);

/* Returns the first target for which target_runs is true. If there is none,
 * returns target_count() and writes the reason to the message. */
size_t choose_target(char message[160]);

#endif
