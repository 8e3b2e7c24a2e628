/*
 * Where pieces of 16 bytes of a tile lie, by the swizzle of 128 bytes, and what
 * a descriptor says of it (ptx_hopper.h; cute-check holds TMA, wgmma and the
 * descriptors to NVIDIA's own).
 *
 *     make lab-layouts
 *
 * Lines: tma | wgmma, r, c, place (of 16 bytes, from the tile's first) |
 * field, its first and its last bit, name, value, the same in bytes.
 */
#include <stdio.h>

int main(void)
{
    for (int r = 0; r < 16; r++)
        for (int c = 0; c < 8; c++) {
            int place = 8 * r + (c ^ r % 8);

            if (r < 8)
                printf("tma\t%d\t%d\t%d\n", r, c, place);
            printf("wgmma\t%d\t%d\t%d\n", r, c, place);
        }
    puts("field\t0\t13\taddress\t576\t9216\n"
         "field\t16\t29\tleading offset\t1\t16\n"
         "field\t32\t45\tstride offset\t64\t1024\n"
         "field\t49\t51\tbase offset\t0\t0\n"
         "field\t62\t63\tswizzle\t1\t1");
    return 0;
}
