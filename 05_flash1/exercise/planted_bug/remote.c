/*
 * planted_bug, asked of a worker (remote_attention.h).
 */
#include "planted_bug.h"

#include "04_tiled_attention/exercise/remote_attention.h"

REMOTE_ATTENTION(planted_bug)
