/*
 * The bundled Q, K and V of a real attention layer (common/data/README.md),
 * sought from the current folder.
 */
#ifndef COMMON_BUNDLED_H
#define COMMON_BUNDLED_H

#define BUNDLED_Q "common/data/q.npy"
#define BUNDLED_K "common/data/k.npy"
#define BUNDLED_V "common/data/v.npy"

/* Are they not there? 0, or 1 after one line on stderr. */
int bundled_missing(void);

#endif
