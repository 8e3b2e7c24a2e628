/*
 * planted_bug, asked of a worker (remote_attention.h).
 * the skeleton holds: ordinary_heads_are_right
 * the skeleton holds: no_key_is_counted_twice
 * the skeleton holds: high_scores_are_right
 * the skeleton holds: low_scores_are_right_in_full_tiles
 */
#include "planted_bug.h"

#include "04_tiled_attention/exercise/remote_attention.h"

REMOTE_ATTENTION(planted_bug)
