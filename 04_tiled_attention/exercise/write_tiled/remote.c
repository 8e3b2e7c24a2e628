/*
 * write_tiled, asked of a worker (remote_attention.h).
 * points: 30
 * counted inside the worker: traffic_is_that_of_the_formula
 * counted inside the worker: no_key_comes_that_its_query_does_not_see
 * counted inside the worker: a_query_and_a_tile_are_on_chip_and_no_more
 */
#include "write_tiled.h"

#include "04_tiled_attention/exercise/remote_attention.h"

REMOTE_ATTENTION(write_tiled)
