/* wrong: counts a round for each tile of queries */
/* message: all queries go by in each round, in however many tiles */
#include "predict_traffic.h"

#include "common/matrix.h"

hbm_traffic predict_traffic(size_t Nq, size_t Nk, size_t d, size_t dv,
                            size_t Br, size_t Bc)
{
    size_t Tc = tiles(Nq, Br);
    hbm_traffic t = {0, 0};

    t.written += Nq * (dv + 2); /* O, m and l begin */
    t.read += Nk * (d + dv);
    t.read += Tc * Nq * (d + dv + 2);
    t.written += Tc * Nq * (dv + 2);
    t.read += 2 * Nq; /* m and l, for L */
    t.written += Nq;
    return t;
}
