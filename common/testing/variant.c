/* Makes inputs that depend on VARIANT (variant.h). */
#include "common/testing/variant.h"

#include <stdlib.h>

static uint64_t variant(void)
{
    const char *text = getenv("VARIANT");

    return text ? strtoull(text, NULL, 10) : 0;
}

random_source variant_seed(uint64_t seed)
{
    return random_seed(seed + 1000003 * variant());
}

size_t variant_size(uint64_t where, size_t usual, size_t least, size_t most)
{
    random_source source = variant_seed(where);

    return variant() == 0 ? usual
                          : least + random_below(&source, most - least + 1);
}

float variant_number(uint64_t where, float usual, float least, float most)
{
    size_t eighths =
        variant_size(where, 0, 1, 1 + (size_t)(8 * (most - least)));

    return eighths == 0 ? usual : least + (float)(eighths - 1) / 8;
}

float variant_shift(void)
{
    return variant_number(1, 0, 0.125f, 2);
}

float variant_factor(void)
{
    return variant_number(2, 1, 1.25f, 3);
}
