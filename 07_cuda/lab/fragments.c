/*
 * Which lane holds which element of a matrix, out of a product and into the
 * next one (ptx.h; cute-check and the tests hold all to it). And which warp of
 * rungs 5a and 5b computes which part of S.
 *
 *     make lab-fragments
 *
 * Lines: out | in, row, column, lane | warp, rung, queries from, to, keys from,
 * to, number.
 */
#include <stdio.h>

enum { N = 16, WARPS = 4, TILE = 64 };

int main(void)
{
    for (int e = 0; e < N * N; e++) {
        int row = e / N, column = e % N, lane = row % 8 * 4 + column % 8 / 2;

        printf("out\t%d\t%d\t%d\n", row, column, lane);
        printf("in\t%d\t%d\t%d\n", row, column, lane);
    }
    for (int w = 0; w < WARPS; w++) {
        int from = TILE / WARPS * w, to = TILE / WARPS * (w + 1);

        printf("warp\tsliced_k\t0\t%d\t%d\t%d\t%d\n", TILE, from, to, w);
        printf("warp\tsplit_q\t%d\t%d\t0\t%d\t%d\n", from, to, TILE, w);
    }
    return 0;
}
