/*
 * Keys and values are read once. For each of the Tc tiles of keys, q of every
 * query is read, and o, m and l are read and written, for any Br.
 */
#include "predict_traffic.h"

#include "common/matrix.h"

hbm_traffic predict_traffic(size_t Nq, size_t Nk, size_t d, size_t dv,
                            size_t Br, size_t Bc)
{
    size_t Tc = tiles(Nk, Bc);
    hbm_traffic t = {0, 0};

    (void)Br;
    t.written += Nq * (dv + 2); /* initial O, m and l */
    t.read += Nk * (d + dv);
    t.read += Tc * Nq * (d + dv + 2);
    t.written += Tc * Nq * (dv + 2);
    t.read += 2 * Nq; /* m and l, for L */
    t.written += Nq;
    return t;
}
