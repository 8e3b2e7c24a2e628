/* Tests that a function does not change its inputs. */
#ifndef COMMON_INPUTS_H
#define COMMON_INPUTS_H

#include <stddef.h>

/* Copies n floats at x, or none if x is NULL. assert_inputs_kept compares all
 * copied inputs with their copies. If one has changed, the running test fails
 * by input_changed. */
void keep_input(const char *name, const float *x, size_t n);
void assert_inputs_kept(void);

/* Fails the running test. */
void input_changed(const char *name);

#endif
