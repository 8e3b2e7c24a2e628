/* Rung 7 without one of its optimisations, which rung7_full.cu describes.
 * full_without.sh makes their code from that file. */
#ifndef CUDA_FULL_WITHOUT_H
#define CUDA_FULL_WITHOUT_H

#include "07_cuda/rung.h"

#ifdef __cplusplus
extern "C" {
#endif
rung_fn rung_full_without_rows_32, rung_full_without_exp2,
    rung_full_without_edges, rung_full_without_skip, rung_full_without_longest;
#ifdef __cplusplus
}
#endif

static const struct {
    const char *name;
    rung_fn *run;
} full_without[] = {{"full-rows_32", rung_full_without_rows_32},
                    {"full-exp2", rung_full_without_exp2},
                    {"full-edges", rung_full_without_edges},
                    {"full-skip", rung_full_without_skip},
                    {"full-longest", rung_full_without_longest}};

#endif
