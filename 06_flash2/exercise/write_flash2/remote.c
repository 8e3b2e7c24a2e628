/*
 * write_flash2, asked of a worker (remote_attention.h).
 * points: 30
 * counted inside the worker: traffic_is_that_of_the_formula
 * counted inside the worker: no_key_comes_that_no_query_sees
 * counted inside the worker: four_tiles_are_on_chip_and_no_more
 */
#include "write_flash2.h"

#include "04_tiled_attention/exercise/remote_attention.h"

REMOTE_ATTENTION(write_flash2)
