/* readers.cpp: see readers.h. */
#include "07_cuda/cuda_on_cpu/races/readers.h"

#include <string.h>

#include <vector>

#include "07_cuda/cuda_on_cpu/machine.h"

static std::vector<uint32_t> rows;

/* Agents may join later. */
static size_t width()
{
    return emu::threads_in_block() + emu::max_agents;
}

uint32_t *emu::row(uint32_t i)
{
    return &rows[i * width()];
}

uint32_t emu::new_row()
{
    size_t n = width(), i = rows.size() / n;
    rows.resize(rows.size() + n, 0);
    return (uint32_t)i;
}

void emu::copy_readers(Cell &c)
{
    if (!(c.flags & MANY_READERS) || c.read_epoch != now.epoch)
        return;
    uint32_t copy = new_row();
    memcpy(row(copy), row(c.read_clock), width() * sizeof *row(0));
    c.read_clock = copy;
}

void emu::forget_readers()
{
    rows.clear();
}
