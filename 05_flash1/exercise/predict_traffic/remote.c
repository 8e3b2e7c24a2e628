/*
 * predict_traffic, asked of a worker (tools/grade/remote.h).
 */
#include "predict_traffic.h"

#include "tools/grade/remote.h"

#ifdef JUDGE
hbm_traffic predict_traffic(size_t Nq, size_t Nk, size_t d, size_t dv,
                            size_t Br, size_t Bc)
{
    const size_t sizes[6] = {Nq, Nk, d, dv, Br, Bc};
    hbm_traffic t;

    SAY(sizes);
    exchange();
    HEAR(t);
    return t;
}
#else
void serve(void)
{
    size_t n[6];
    hbm_traffic t;

    HEAR(n);
    t = predict_traffic(n[0], n[1], n[2], n[3], n[4], n[5]);
    SAY(t);
}
#endif
