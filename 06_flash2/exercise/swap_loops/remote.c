/*
 * swap_loops, asked of a worker (remote_attention.h).
 * points: 0
 * counted inside the worker: traffic_is_that_of_the_formula
 * counted inside the worker: no_row_is_put_down_between
 */
#include "swap_loops.h"

#include "04_tiled_attention/exercise/remote_attention.h"

REMOTE_ATTENTION(swap_loops)
