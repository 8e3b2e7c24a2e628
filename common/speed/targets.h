/*
 * Targets: one source compiled for several instruction sets, and the choice
 * among them at run time.
 *
 * `make` compiles what is fast for the machine at hand alone, the target
 * "native". `make PORTABLE=1` compiles it for "avx512", "avx2" and "base" (any
 * x86-64; elsewhere "base" is all there is), and the program takes the first
 * that the CPU can run. FLASH2_TARGET=avx2 in the environment asks for one.
 *
 * Such a source gives its functions the target's name, and a list of targets
 * is an X-macro:
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

/* Both are given by the Makefile: TARGETS to the program, best first, and
 * TARGET to the source that is compiled for one of them. */
#ifndef TARGETS
#define TARGETS X(native)
#endif
#ifndef TARGET
#define TARGET native
#endif

#define TARGET_JOIN(name, target)    name##_##target
#define TARGET_JOIN_OF(name, target) TARGET_JOIN(name, target)
#define FOR_TARGET(name)             TARGET_JOIN_OF(name, TARGET)

/* How many there are. */
size_t target_count(void);

/* Can this CPU run it, and does FLASH2_TARGET not name another? */
bool target_runs(size_t t);

/*
 * The target to take: FLASH2_TARGET, or the first that runs. Without one the
 * result is target_count(), and the message, of 160 bytes, says why.
 */
size_t choose_target(char message[160]);

#endif
