/* Exercise 06: the task is in write_flash2.h. */
#include "write_flash2.h"

#include "common/scores.h"
#include "common/testing/todo.h"

int write_flash2(const head *h, memory *mem)
{
    TODO("write the whole kernel: tiles, two loops, update, O / l and L");
    return mem->error;
}
