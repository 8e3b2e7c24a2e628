/*
 * Where pieces of 16 bytes of a tile lie, by the swizzle of 128 bytes
 * (cute-check holds TMA and wgmma to NVIDIA's own).
 *
 *     make lab-layouts
 *
 * Lines: tma, row, piece of the row, place (of 16 bytes, from the tile's first).
 */
#include <stdio.h>

int main(void)
{
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 8; c++)
            printf("tma\t%d\t%d\t%d\n", r, c, 8 * r + (c ^ r));
    return 0;
}
