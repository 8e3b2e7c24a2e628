/* device.cpp: the emulated card, its memory, and stop(). */
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

#include "tools/emulator/ptx_interpreter/machine.h"

/* Source: NVIDIA's programming guide and data sheets. */
static const Card cards[] = {
    /* name, title, capability, SMs, KiB of shared memory per block */
    {"t4", "Tesla T4", 75, 40, 64},
    {"rtx3060", "NVIDIA GeForce RTX 3060", 86, 28, 99},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 89, 128, 99},
    {"a100", "NVIDIA A100-SXM4-80GB", 80, 108, 163},
    {"h100", "NVIDIA H100 80GB HBM3", 90, 132, 227},
    {"b200", "NVIDIA B200", 100, 148, 227},
    {"rtx5090", "NVIDIA GeForce RTX 5090", 120, 170, 99},
};

/* Returns the card of this name, or an H100 without a name. PTX_SMS replaces
 * the number of multiprocessors. Stops if the name is unknown. */
static Card named(const char *name)
{
    const char *sms = std::getenv("PTX_SMS");
    std::string all;

    for (Card c : cards) {
        c.sms = sms ? std::atoi(sms) : c.sms;
        if (std::strcmp(c.name, name && *name ? name : "h100") == 0)
            return c;
        all += std::string(all.empty() ? "" : ", ") + c.name;
    }
    stop("CARD=%s: allowed are %s", name, all.c_str());
}

const Card &card()
{
    static const Card found = named(std::getenv("CARD"));
    return found;
}

static std::map<u64, size_t> pieces;

u8 *allocate(size_t bytes)
{
    constexpr size_t unit = 512;
    size_t rounded = (bytes / unit + 1) * unit;
    u8 *at = (u8 *)std::aligned_alloc(unit, rounded);

    if (!at)
        return nullptr;
    std::memset(at, POISON, rounded);
    pieces[(u64)at] = bytes;
    return at;
}

bool release(void *at)
{
    if (!pieces.erase((u64)at))
        return false;
    std::free(at);
    return true;
}

u8 *allocated_at(u64 address, size_t bytes)
{
    auto piece = pieces.upper_bound(address);

    if (piece == pieces.begin())
        return nullptr;
    --piece;
    return address + bytes > piece->first + piece->second ? nullptr
                                                          : (u8 *)address;
}

void stop(const char *format, ...)
{
    va_list a;

    va_start(a, format);
    std::fputs("ptx: ", stderr);
    std::vfprintf(stderr, format, a);
    std::fputc('\n', stderr);
    std::fflush(nullptr);
    _exit(1);
}
