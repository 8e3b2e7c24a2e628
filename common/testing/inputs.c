/* See inputs.h. */
#include "common/testing/inputs.h"

#include <string.h>

#include "common/testing/run_tests.h"

enum { MOST = 8 };

static struct {
    const char *name;
    const float *x;
    float *copy;
    size_t size;
} kept[MOST];
static size_t inputs;

void keep_input(const char *name, const float *x, size_t n)
{
    size_t size = n * sizeof *x;

    if (!x)
        return;
    assert_true(inputs < MOST);
    kept[inputs].name = name;
    kept[inputs].x = x;
    kept[inputs].copy = malloc(size + 1);
    kept[inputs].size = size;
    assert_non_null(kept[inputs].copy);
    memcpy(kept[inputs++].copy, x, size);
}

void assert_inputs_kept(void)
{
    const char *changed = NULL;

    while (inputs-- > 0) {
        if (memcmp(kept[inputs].x, kept[inputs].copy, kept[inputs].size) != 0)
            changed = kept[inputs].name;
        free(kept[inputs].copy);
    }
    inputs = 0;
    if (changed)
        input_changed(changed);
}

void input_changed(const char *name)
{
    fail_msg("%s is an input, but the function has changed it", name);
}
