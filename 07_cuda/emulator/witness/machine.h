/*
 * What a GPU is to this interpreter of PTX: a block of warps, each of which has
 * registers, 32 numbers wide, and a place in the program for each of its lanes.
 * docs/ptx_witness.md
 *
 * Written from NVIDIA's description of PTX alone: it shares no line with the
 * emulator in cuda_on_cpu/, so that the two can be wrong in different ways.
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
using lanes = u32; /* a bit for each lane */
using Three = std::array<u32, 3>;

constexpr int WIDTH = 32; /* lanes of a warp */
constexpr lanes ALL = ~0u;
/* What was never written is NaN, in each of a GPU's floating-point types. */
constexpr u8 POISON = 0xff;

#define EACH(l, who)                                                           \
    for (int l = 0; l < WIDTH; l++)                                            \
        if ((who) >> l & 1)

struct Warp;
struct Instruction;
using Run = void (*)(Warp &, const Instruction &, lanes);

/* A register of a warp: 64 bits for each lane, of which shorter numbers take
 * the lowest, and a predicate one. */
using Register = std::array<u64, WIDTH>;

/* Which of them; a number is one that holds it from the start. */
struct Operand {
    size_t at;
    s64 offset = 0; /* what is added to an address */
};

/* When an instruction is run: by the lanes that stand there; not before all
 * lanes that are alive stand there, and by all of a warp; or not before those
 * stand there that its last operand names. */
enum Kind { PLAIN, MEETING, TOGETHER, NAMED };

/* A line of the table of opcodes. */
struct Opcode {
    Run run;
    Kind kind = PLAIN;
    bool writes = true;  /* the first operand */
    size_t operands = 0; /* so many; 0: it looks itself */
};

/* The memory that its name gives; any: none. */
enum Space { ANY, GLOBAL, SHARED };

struct Instruction {
    Opcode op;
    Space space = ANY;
    std::vector<Operand> o;
    size_t written = 0;         /* so many of them; {a, b} are two */
    std::vector<Operand> guard; /* a predicate, or none */
    bool guard_not = false;
    int target = -1;         /* of a branch */
    std::string text, where; /* the line of the source, or of the PTX */
};

/* The address after all variables of a kernel; known after parsing. */
constexpr u64 DYNAMIC = 1ull << 59;

struct Kernel {
    std::string name;
    std::vector<Instruction> code;
    std::map<u64, Operand> constants; /* what these hold at the start */
    /* Where a launch puts them, and how many bytes. */
    std::vector<std::pair<u8 *, size_t>> parameters;
    size_t registers = 0;
    int shared_bytes = 0;                    /* without what a launch adds */
    int local_bytes = 0;                     /* of a thread */
    int most_threads = 0, blocks_per_sm = 1; /* .maxntid, .minnctapersm */
};

/* --- What is under way ---------------------------------------------------- */

/* What happens when it has been waited for, and not before. */
struct Late {
    const Instruction *in;
    Warp *by;
    std::function<void()> happens;
    u64 group = 0;
};

/* In groups, of which the last is open: others can be added to it. */
struct Pending {
    std::vector<Late> all;
    u64 open = 0;

    void add(Late late)
    {
        late.group = open;
        all.push_back(late);
    }
    /* The groups before that one. */
    void finish(u64 group)
    {
        size_t n = 0;

        for (; n < all.size() && all[n].group < group; n++)
            all[n].happens();
        all.erase(all.begin(), all.begin() + (s64)n);
    }
    /* All but the last n closed groups. */
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
    std::vector<u8> local; /* of each lane */
    lanes alive;
    int at
        [WIDTH]; /* program counter of each lane; of the running lanes: next */
    lanes running;
    int next;
    u64 steps;
    bool at_barrier;
    bool spins; /* it polls: the last result was not ready */

    Pending copies[WIDTH], boxes[WIDTH], products; /* boxes that TMA adds */
    enum { FREE, READ, ADDED_TO };
    std::vector<u8> in_use; /* of each register: by a running wgmma */
    bool any_in_use;
    int register_count; /* of a thread: setmaxnreg */

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
    void ask_again() /* what runs now, when others went on */
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
    /* Who stored each 8 bytes of it last, without a fence for TMA and wgmma:
     * 1 + a warp, or 0. */
    std::vector<u8> unfenced;
    std::vector<Warp> warps;
    std::vector<Register> registers; /* of all of them */
    std::vector<NamedBarrier> barriers;
    std::vector<Late> boxes; /* TMA's loads */
    int free_registers;      /* setmaxnreg.dec gives, .inc takes */
    std::mt19937_64 random;
    u64 progress;
};

/* --- What the files offer each other -------------------------------------- */

[[noreturn]] void stop(const char *format, ...); /* exit 1 */
/* Also prints the place. */
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

/* schedule.cpp: a warp's first registers have these names, each with .x, .y and
 * .z; of some there is no more than .x, and PTX leaves that out. */
extern const std::vector<std::string> specials;
void run_block(Block &b);
bool begins(const std::string &text, const char *with); /* module.cpp */

void check_in_use(Warp &w, const Instruction &in); /* products.cpp */

/* memory.cpp: returns where an address is, or ends the program. Shared memory
 * is below all other addresses, local memory above. */
constexpr u32 SHARED_BASE = 1024, SHARED_END = 1 << 20;
constexpr u64 LOCAL_BASE = 1ull << 61;
u8 *memory_at(Warp &w, const Instruction &in, u64 address, int bytes,
              int lane = 0);
/* That a thread stored there, if it is shared; and the end of the program if
 * TMA or wgmma would see that without a fence. */
void stored(Warp &w, const u8 *at, size_t bytes);
void check_fenced(Warp &w, const Instruction &in, u32 address, u32 bytes);

/* device.cpp: the card's memory, pieces of the host's. What has not been
 * written is NaN, and nothing may be read beyond a piece's end. */
u8 *allocate(size_t bytes);
bool release(void *at);                      /* false: no piece begins there */
u8 *allocated_at(u64 address, size_t bytes); /* null: nothing is there */

/* The card that the interpreter is: CARD=t4, ...; without it an H100. */
struct Card {
    const char *name, *title;
    int capability; /* 90: compute capability 9.0 */
    int sms;
    int shared; /* KiB that a block may have */
};
constexpr int CARDS_REGISTERS = 65536; /* of a multiprocessor, of all of them */
const Card &card();
