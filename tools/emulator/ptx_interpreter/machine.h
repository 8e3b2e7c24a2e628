/* machine.h: the interpreter's model of a GPU. A block has warps. A warp has
 * registers of 32 numbers each, and one program counter for each of its lanes.
 * Page: docs/ptx_witness.md.
 *
 * The interpreter is written only from NVIDIA's description of PTX. It shares
 * no line with the emulator in cuda_on_cpu/, so the two are unlikely to have
 * the same mistake. */
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using lanes = u32; /* a set of lanes: bit l is for lane l */
using Three = std::array<u32, 3>;

constexpr int WIDTH = 32;
constexpr lanes ALL = ~0u;
/* Uninitialised bytes have this value, a NaN in each floating-point type. */
constexpr u8 POISON = 0xff;

#define EACH(l, active)                                                        \
    for (int l = 0; l < WIDTH; l++)                                            \
        if ((active) >> l & 1)

struct Warp;
struct Instruction;
using Run = void (*)(Warp &, const Instruction &, lanes);

/* A register of a warp has 64 bits for each lane. A shorter number is in the
 * lowest bits, and a predicate is in bit 0. */
using Register = std::array<u64, WIDTH>;

/* A constant has its own register, which is set before the kernel starts. */
struct Operand {
    size_t at;      /* index in Warp::registers */
    s64 offset = 0; /* added to an address */
};

/* Which lanes must execute an instruction together. */
enum Kind {
    PLAIN,    /* any lanes that have reached it */
    MEETING,  /* all lanes that have not exited */
    TOGETHER, /* all 32 lanes */
    NAMED     /* lanes of its mask, the last operand, that have not exited */
};

struct Opcode {
    Run run;
    Kind kind = PLAIN;
    bool writes = true;  /* the first operand is a result */
    size_t operands = 0; /* expected number of operands; 0: any */
};

/* The memory in an instruction's name. ANY: neither .global nor .shared. */
enum Space { ANY, GLOBAL, SHARED };

struct Instruction {
    Opcode op;
    Space space = ANY;
    std::vector<Operand> o;
    size_t written = 0;         /* number of results; {a, b} counts as two */
    std::vector<Operand> guard; /* the predicate @p; empty without one */
    bool guard_not = false;     /* @!p: execute if p is false */
    int target = -1;            /* index in Kernel::code, of a branch only */
    std::string text, where; /* where: the line in the source or in the PTX */
};

/* Placeholder for the address of dynamic shared memory until a block begins. */
constexpr u64 DYNAMIC = 1ull << 59;

struct Kernel {
    std::string name;
    std::vector<Instruction> code;
    std::map<u64, Operand> constants; /* the register of each value */
    std::vector<std::pair<u8 *, size_t>> parameters;
    size_t registers = 0;
    int shared_bytes = 0;  /* of a block, without dynamic memory */
    int local_bytes = 0;   /* of a thread */
    int max_threads = 0;   /* x of .maxntid or .reqntid; 0: no limit */
    int blocks_per_sm = 1; /* value of .minnctapersm */
};

/* An operation that is executed later than its instruction. */
struct Late {
    const Instruction *in;
    Warp *by;
    std::function<void()> execute;
    u64 group = 0;
};

/* Operations that are not yet executed. New ones join group `open`. */
struct Pending {
    std::vector<Late> all;
    u64 open = 0;

    void add(Late late)
    {
        late.group = open;
        all.push_back(late);
    }
    void finish(u64 group)
    {
        size_t n = 0;

        for (; n < all.size() && all[n].group < group; n++)
            all[n].execute();
        all.erase(all.begin(), all.begin() + (s64)n);
    }
    /* Executes all but the last n committed groups. */
    void wait(s64 n)
    {
        finish(open - std::min((u64)n, open));
    }
};

struct Block;

template <class T> T number_at(const void *p)
{
    T x;

    std::memcpy((void *)&x, p, sizeof x);
    return x;
}

struct Warp {
    Block *block;
    int index;
    Register *registers;
    std::vector<u8> local; /* local memory of all lanes */
    lanes alive;
    int at[WIDTH]; /* program counters of the lanes that do not run */
    lanes running;
    int next; /* program counter of the running lanes */
    u64 steps;
    bool at_barrier;
    bool spins; /* it polls in a loop, so other warps run next */

    Pending copies[WIDTH], boxes[WIDTH], products; /* boxes: additions by TMA */
    enum { FREE, READ, ADDED_TO };
    std::vector<u8> in_use; /* use of each register by running wgmma */
    bool any_in_use;
    int register_count; /* registers per thread; setmaxnreg changes it */

    template <class T = u64> T get(const Operand &o, int l) const
    {
        u64 x = registers[o.at][(size_t)l];

        if constexpr (std::is_integral<T>::value)
            return (T)x;
        return number_at<T>(&x);
    }
    template <class T> void set(const Operand &o, int l, T x)
    {
        u64 &to = registers[o.at][(size_t)l];

        to = 0;
        std::memcpy(&to, &x, sizeof x);
    }
    void retry() /* repeats the instruction after other warps have run */
    {
        next--;
        spins = true;
    }
    lanes true_in(const Operand &o)
    {
        lanes all = 0;

        for (int l = 0; l < WIDTH; l++)
            all |= (lanes)(get(o, l) & 1) << l;
        return all;
    }
};

struct NamedBarrier {
    u32 expected; /* threads; 0: all that have not exited */
    u32 arrived;
    std::vector<Warp *> waiting;
};

struct Block {
    const Kernel *kernel;
    int threads;
    Three id, grid, size;
    std::vector<u8> shared; /* its addresses begin at SHARED_BASE */
    /* For each 8 bytes of shared: 0, or 1 + the index of the last warp that
     * stored there without a later fence.proxy.async. */
    std::vector<u8> unfenced;
    std::vector<Warp> warps;
    std::vector<Register> registers; /* of all warps */
    std::vector<NamedBarrier> barriers;
    std::vector<Late> boxes; /* loads by TMA that are not yet executed */
    int free_registers;      /* setmaxnreg.dec adds, .inc subtracts */
    std::mt19937_64 random;
    u64 progress;
};

/* stop and wrong print a message and exit with status 1. wrong also prints the
 * instruction, its line, the kernel, the block and the warp. */
[[noreturn]] void stop(const char *format, ...);
template <class... T>
[[noreturn]] void wrong(const Warp &w, const Instruction &in,
                        const std::string &format, T... a)
{
    const Block &b = *w.block;

    stop(("%s: " + format + "\n  in %s, block (%u, %u, %u), warp %d:\n  %s")
             .c_str(),
         in.where.c_str(), a..., b.kernel->name.c_str(), b.id[0], b.id[1],
         b.id[2], w.index, in.text.c_str());
}

/* schedule.cpp: the special registers, which are the first of a warp. Each name
 * has three: .x, .y and .z. %laneid and %warpid use only .x. */
extern const std::vector<std::string> specials;
void run_block(Block &b);
bool begins(const std::string &text, const char *with); /* module.cpp */

void check_in_use(Warp &w, const Instruction &in); /* products.cpp */

/* memory.cpp: returns the address on the host of a GPU address. Ends the
 * program if it is not aligned, or if the bytes are not in one memory. Shared
 * memory has the lowest addresses, and local memory the highest. */
constexpr u32 SHARED_BASE = 1024, SHARED_END = 1 << 20;
constexpr u64 LOCAL_BASE = 1ull << 61;
u8 *memory_at(Warp &w, const Instruction &in, u64 address, int bytes,
              int lane = 0);
/* stored records a store of warp w, if `at` is in shared memory. check_fenced
 * ends the program if TMA or wgmma uses bytes stored without a fence. */
void stored(Warp &w, const u8 *at, size_t bytes);
void check_fenced(Warp &w, const Instruction &in, u32 address, u32 bytes);

/* device.cpp: the card's memory. allocate returns a new piece filled with
 * POISON, or null. An access beyond the end of a piece is invalid. */
u8 *allocate(size_t bytes);
bool release(void *at); /* false if no piece begins at `at` */
u8 *allocated_at(u64 address, size_t bytes); /* null if no piece has them */

/* The environment variable CARD names the card. The default is an H100. */
struct Card {
    const char *name, *title;
    int capability; /* 90: compute capability 9.0 */
    int sms;
    int shared; /* KiB per block */
};
constexpr int CARDS_REGISTERS = 65536; /* per multiprocessor, on all cards */
const Card &card();
