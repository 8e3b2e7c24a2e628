/*
 * machine.h: the interpreter's model of a GPU. A block has warps. A warp has
 * registers of 32 numbers, and a program counter for each of its lanes. Page:
 * docs/ptx_witness.md
 *
 * It is written only from NVIDIA's description of PTX and shares no line with
 * the emulator in cuda_on_cpu/. So both are unlikely to have the same mistake.
 */
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
using lanes = u32; /* bit l: lane l */
using Three = std::array<u32, 3>;

constexpr int WIDTH = 32; /* lanes of a warp */
constexpr lanes ALL = ~0u;
/* Uninitialised bytes: a NaN in each of a GPU's floating-point types. */
constexpr u8 POISON = 0xff;

#define EACH(l, who)                                                           \
    for (int l = 0; l < WIDTH; l++)                                            \
        if ((who) >> l & 1)

struct Warp;
struct Instruction;
using Run = void (*)(Warp &, const Instruction &, lanes);

/* A register of a warp: 64 bits for each lane. Shorter numbers are in the
 * lowest bits, a predicate in one bit. */
using Register = std::array<u64, WIDTH>;

/* An operand is a register; a constant is a register set before the start. */
struct Operand {
    size_t at;
    s64 offset = 0; /* added to an address */
};

/* PLAIN: the lanes that have reached the instruction execute it. MEETING: it
 * waits until all lanes that are alive have reached it. TOGETHER: like MEETING,
 * and all 32 lanes must execute it. NAMED: it waits for the lanes that its last
 * operand names. */
enum Kind { PLAIN, MEETING, TOGETHER, NAMED };

/* An entry of the table of opcodes. */
struct Opcode {
    Run run;
    Kind kind = PLAIN;
    bool writes = true;  /* its first operand */
    size_t operands = 0; /* number of operands; 0: not checked */
};

/* The memory in an instruction's name; ANY: none. */
enum Space { ANY, GLOBAL, SHARED };

struct Instruction {
    Opcode op;
    Space space = ANY;
    std::vector<Operand> o;
    size_t written = 0;         /* number of results; {a, b} are two */
    std::vector<Operand> guard; /* a predicate, or none */
    bool guard_not = false;
    int target = -1;         /* of a branch */
    std::string text, where; /* where: the line of the source or the PTX */
};

/* Stands for the address after all variables of a kernel, which is known only
 * after parsing. */
constexpr u64 DYNAMIC = 1ull << 59;

struct Kernel {
    std::string name;
    std::vector<Instruction> code;
    std::map<u64, Operand> constants; /* by value */
    /* Address and size of each parameter. */
    std::vector<std::pair<u8 *, size_t>> parameters;
    size_t registers = 0;
    int shared_bytes = 0;                    /* without dynamic memory */
    int local_bytes = 0;                     /* per thread */
    int most_threads = 0, blocks_per_sm = 1; /* .maxntid, .minnctapersm */
};

/* --- Asynchronous operations ---------------------------------------------- */

/* An operation that is executed when a thread waits for it. */
struct Late {
    const Instruction *in;
    Warp *by;
    std::function<void()> execute;
    u64 group = 0;
};

/* Operations in groups. The last group is open: operations are added to it. */
struct Pending {
    std::vector<Late> all;
    u64 open = 0;

    void add(Late late)
    {
        late.group = open;
        all.push_back(late);
    }
    /* Executes the groups before this one. */
    void finish(u64 group)
    {
        size_t n = 0;

        for (; n < all.size() && all[n].group < group; n++)
            all[n].execute();
        all.erase(all.begin(), all.begin() + (s64)n);
    }
    /* Executes all but the last n closed groups. */
    void wait(s64 n)
    {
        finish(open - std::min((u64)n, open));
    }
};

/* --- Warp and block ------------------------------------------------------- */

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
    std::vector<u8> local; /* of all lanes */
    lanes alive;
    int at[WIDTH]; /* program counters of the lanes that do not run */
    lanes running;
    int next; /* program counter of the running lanes */
    u64 steps;
    bool at_barrier;
    bool spins; /* it polls, and the last result was not ready */

    Pending copies[WIDTH], boxes[WIDTH], products; /* boxes: TMA's additions */
    enum { FREE, READ, ADDED_TO };
    std::vector<u8> in_use; /* use of each register by a running wgmma */
    bool any_in_use;
    int register_count; /* per thread: setmaxnreg */

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
    void retry() /* runs the instruction again, after other warps */
    {
        next--;
        spins = true;
    }
    lanes true_in(const Operand &o) /* a predicate */
    {
        lanes all = 0;

        for (int l = 0; l < WIDTH; l++)
            all |= (lanes)(get(o, l) & 1) << l;
        return all;
    }
};

struct NamedBarrier {
    u32 expected, arrived;
    std::vector<Warp *> waiting;
};

struct Block {
    const Kernel *kernel;
    int threads;
    Three id, grid, size;
    std::vector<u8> shared; /* its addresses begin at SHARED_BASE */
    /* For each 8 bytes of it: 1 + the warp that stored them without a fence for
     * TMA and wgmma, or 0. */
    std::vector<u8> unfenced;
    std::vector<Warp> warps;
    std::vector<Register> registers; /* of all warps */
    std::vector<NamedBarrier> barriers;
    std::vector<Late> boxes; /* TMA's loads */
    int free_registers;      /* setmaxnreg.dec adds, .inc subtracts */
    std::mt19937_64 random;
    u64 progress;
};

/* --- Functions of the files ----------------------------------------------- */

/* Print a message and exit with status 1; wrong also prints the place. */
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

/* schedule.cpp: the names of a warp's first registers, each with .x, .y and .z.
 * %laneid and %warpid have one number. */
extern const std::vector<std::string> specials;
void run_block(Block &b);
bool begins(const std::string &text, const char *with); /* module.cpp */

void check_in_use(Warp &w, const Instruction &in); /* products.cpp */

/* memory.cpp: returns the host's address for a GPU's address, or ends the
 * program if it is invalid. Shared memory is below all other addresses, local
 * memory above. */
constexpr u32 SHARED_BASE = 1024, SHARED_END = 1 << 20;
constexpr u64 LOCAL_BASE = 1ull << 61;
u8 *memory_at(Warp &w, const Instruction &in, u64 address, int bytes,
              int lane = 0);
/* stored records that a thread stored there, if it is shared memory.
 * check_fenced ends the program if TMA or wgmma reads such a store without a
 * fence. */
void stored(Warp &w, const u8 *at, size_t bytes);
void check_fenced(Warp &w, const Instruction &in, u32 address, u32 bytes);

/* device.cpp: the card's memory, in pieces of the host's memory. Uninitialised
 * bytes are POISON; accesses beyond a piece's end are invalid. */
u8 *allocate(size_t bytes);
bool release(void *at);                      /* false: no piece begins there */
u8 *allocated_at(u64 address, size_t bytes); /* null: not in a piece */

/* The emulated card: CARD=t4, ...; the default is an H100. */
struct Card {
    const char *name, *title;
    int capability; /* 90: compute capability 9.0 */
    int sms;
    int shared; /* KiB per block */
};
constexpr int CARDS_REGISTERS = 65536; /* per multiprocessor, on all cards */
const Card &card();
