/* card.cpp: what NVIDIA's programming guide and data sheets say of some cards. */
#include "07_cuda/witness/card.h"

#include <cstdlib>
#include <cstring>

#include "07_cuda/witness/machine.h"

static const Card cards[] = {
    /* name, title, capability, SMs, KiB a block, KiB, registers, MiB of L2 */
    {"t4", "Tesla T4", 75, 40, 64, 64, 65536, 4, 1024},
    {"rtx3060", "NVIDIA GeForce RTX 3060", 86, 28, 99, 100, 65536, 3, 1536},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 89, 128, 99, 100, 65536, 72, 1536},
    {"a100", "NVIDIA A100-SXM4-80GB", 80, 108, 163, 164, 65536, 40, 2048},
    {"h100", "NVIDIA H100 80GB HBM3", 90, 132, 227, 228, 65536, 50, 2048},
};

/* PTX_SMS=2: with so few multiprocessors that a block has many tiles. */
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
