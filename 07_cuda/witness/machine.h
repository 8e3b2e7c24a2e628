/*
 * What a GPU is to this interpreter of PTX: a block of warps, each of which has
 * registers, 32 numbers wide, and groups of lanes that stand at one
 * instruction. docs/ptx_witness.md
 *
 * Written from NVIDIA's description of PTX alone: it shares no line with the
 * emulator in cuda_on_cpu/, so that the two can be wrong in different ways.
 */
#pragma once
#include <cstdint>
#include <deque>
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

constexpr int WIDTH = 32; /* lanes of a warp */
constexpr lanes ALL = ~0u;
/* What was never written is NaN, in each of a GPU's floating-point types. */
constexpr u8 POISON = 0xff;

struct Warp;
struct Instruction;
using Run = void (*)(Warp &, const Instruction &, lanes);

/* Where a register lies in its warp: `at` bytes from the first, 4 or 8 for each
 * lane. A predicate has no bytes, and `at` is its number. `value` is the number
 * itself, if it is one, or what is added to an address. */
struct Operand {
    int at = -1, bytes = 4;
    s64 value = 0;
};

/* How an instruction is run: by the lanes that stand there; not before all lanes
 * stand there, or those that its last operand names; or by the schedule. */
enum Kind { PLAIN, TOGETHER, NAMED, BARRIER, BRANCH, EXIT };

using Words = std::vector<std::string>; /* of a name: ld, shared, v4, f32 */

/* A line of the table of opcodes. */
struct Opcode {
    Run run;
    /* Of each operand, what is written first; none: as they are declared. */
    std::vector<int> bytes = {};
    Kind kind = PLAIN;
    int written = 1;               /* how many operands it writes */
    std::vector<int> numbers = {}; /* what its name says: a width, a type */
    Opcode (*by_name)(const Words &) = nullptr; /* the rest says more */
};

struct Instruction {
    Opcode op;
    std::vector<Operand> o;
    int guard = -1; /* a predicate */
    bool guard_not = false;
    int target = -1;         /* of a branch */
    std::string text, where; /* the line of the source, or of the PTX */
};

/* What a column of registers holds at the start: a number, the address of what
 * a launch adds to shared memory, or of a parameter; or %tid.x and the like. */
struct Constant {
    enum { NUMBER, DYNAMIC_SHARED, PARAMETER, SPECIAL } what;
    Operand to;
    u64 value;
    std::string name;
};

struct Kernel {
    std::string name;
    std::vector<Instruction> code;
    std::vector<Constant> constants;
    struct Parameter {
        std::string name;
        int at, bytes;
    };
    std::vector<Parameter> parameters;
    int parameter_bytes = 0;
    int register_bytes = 0, predicates = 0;  /* of a warp */
    int shared_bytes = 0;                    /* without what a launch adds */
    int local_bytes = 0;                     /* of a thread */
    int most_threads = 0, blocks_per_sm = 1; /* .maxntid, .minnctapersm */
};

/* Some lanes of a warp, and where they stand. */
struct Group {
    lanes who;
    int at;
};

/* --- What is under way ---------------------------------------------------- */

struct Copy { /* cp.async */
    u32 to;
    u64 from;
    int bytes;
    const Instruction *in;
};

struct TensorMap { /* what cuTensorMapEncodeTiled makes */
    u64 mark, base;
    u64 size[3], stride[2]; /* columns, rows, heads; bytes */
    u32 box[3], bytes, swizzle;
};

struct Box { /* a box of TMA, to shared memory or added to global memory */
    bool adds;
    TensorMap map;
    u32 shared, barrier;
    s32 corner[3];
    Warp *by;
    const Instruction *in;
};

struct Product { /* wgmma */
    const Instruction *in;
    bool adds;
    u64 A, B; /* descriptors */
};

/* Committed groups in their order, and one that is open: the last. */
template <class T> struct Pending {
    std::deque<std::vector<T>> groups;

    void add(const T &t)
    {
        if (groups.empty())
            groups.emplace_back();
        groups.back().push_back(t);
    }
    void commit()
    {
        if (groups.empty())
            groups.emplace_back();
        groups.emplace_back();
    }
    /* All but the last n groups land. */
    template <class Land> void wait(s64 n, Land land)
    {
        while ((s64)groups.size() - 1 > n) {
            for (const T &t : groups.front())
                land(t);
            groups.pop_front();
        }
    }
    bool any() const
    {
        for (const auto &g : groups)
            if (!g.empty())
                return true;
        return false;
    }
};

/* --- Warp and block -------------------------------------------------------- */

struct Block;

struct Warp {
    Block *block;
    int index;
    u8 *registers;
    std::vector<u32> predicates;
    std::vector<u8> local; /* of each lane */
    lanes alive;
    std::vector<Group> groups;
    bool at_barrier = false;
    bool spins = false; /* what it asked for was not there yet */
    bool again = false; /* the instruction is to be run once more */
    u64 steps = 0;

    Pending<Copy> copies[WIDTH];
    Pending<Box> boxes[WIDTH];
    Pending<Product> products;
    u64 products_begun = 0, products_done = 0; /* groups */
    enum { FREE, READ, ADDED_TO };
    std::vector<u32> new_mbarriers; /* that no fence has shown to TMA */
    std::vector<u8> in_use;         /* of each register: by a running wgmma */
    bool any_in_use = false;
    int register_count = 0; /* of a thread: setmaxnreg */

    template <class T> T *lane(const Operand &o)
    {
        return (T *)(registers + o.at);
    }
    /* An unsigned number of either width. */
    u64 number(const Operand &o, int l)
    {
        return o.bytes == 8 ? lane<u64>(o)[l] : lane<u32>(o)[l];
    }
    void set_predicate(const Operand &o, lanes who, lanes value)
    {
        predicates[o.at] = (predicates[o.at] & ~who) | (value & who);
    }
};

struct NamedBarrier {
    u32 expected = 0, arrived = 0;
    std::vector<Warp *> waiting;
};

struct Block {
    const Kernel *kernel;
    const u8 *parameters;
    int threads;
    u32 id[3], grid[3], size[3];
    std::vector<u8> shared; /* its addresses begin at SHARED_BASE */
    /* Who stored each 16 bytes of it last, without a fence for TMA and wgmma:
     * 1 + a warp, or 0. */
    std::vector<u8> unfenced;
    std::vector<u8> registers;
    std::vector<Warp> warps;
    NamedBarrier barriers[16];
    std::vector<Box> boxes; /* TMA's loads under way */
    s64 free_registers = 0; /* setmaxnreg.dec gives, .inc takes */
    u64 random;
    u64 progress = 0;
};

constexpr u32 SHARED_BASE = 1024;

/* Addresses that any load may be given, and that are no global memory. */
constexpr u64 SHARED_WINDOW = 1ull << 62, LOCAL_WINDOW = 1ull << 61;

#define EACH(l, who)                                                           \
    for (int l = 0; l < WIDTH; l++)                                            \
        if ((who) >> l & 1)

/* --- What the files offer each other --------------------------------------- */

[[noreturn]] void stop(const char *format, ...); /* exit 1 */
[[noreturn]] void wrong(const Warp &w, const Instruction &in,
                        const char *format, ...);

void run_block(Block &b);                          /* schedule.cpp */
void check_in_use(Warp &w, const Instruction &in); /* wgmma.cpp */
void land(const Box &box);                         /* tma.cpp */

/* memory.cpp: where an address lies, or the end of the program. */
enum Space { GENERIC, GLOBAL, SHARED, LOCAL };
u8 *memory_at(Warp &w, const Instruction &in, int lane, Space space,
              u64 address, int bytes);

inline u8 *shared_at(Warp &w, const Instruction &in, u32 address, int bytes)
{
    std::vector<u8> &shared = w.block->shared;
    u32 offset = address - SHARED_BASE;

    if (address < SHARED_BASE || offset + (u64)bytes > shared.size())
        wrong(w, in, "%d bytes at %d of shared memory: the block has %zu",
              bytes, (int)offset, shared.size());
    if (offset % (u32)bytes)
        wrong(w, in, "%u of shared memory is not a multiple of %d", offset,
              bytes);
    return &shared[offset];
}
