/* host_access.cpp: reports the host's accesses to device memory, and to managed
 * memory in use. The pages below managed_begin have no access rights while host
 * code runs. A host access there raises SIGSEGV, as with a GPU. The handler
 * reports it and opens the pages until the next runtime call ends. */
#include "tools/emulator/cuda_on_cpu/memory/memory.h"
#include "tools/emulator/cuda_on_cpu/races/streams.h"

#include <execinfo.h>
#include <signal.h>
#include <sys/mman.h>

#include "tools/emulator/cuda_on_cpu/machine.h"

namespace
{
using namespace emu;

unsigned opened;
Range open_range;          /* pages that ~DeviceOpen makes inaccessible */
struct sigaction previous; /* the handler for all other addresses */

/* Returns the innermost source line of the user's program. */
Site host_line(uintptr_t pc)
{
    void *frames[64];
    int n = backtrace(frames, 64);
    for (int i = 0; i < n; i++) {
        Site site = source_line((uintptr_t)frames[i]);
        if (site.line && !is_emulators(site.file))
            return site;
    }
    return source_line(pc);
}

void on_fault(int, siginfo_t *info, void *context)
{
    size_t offset = (uintptr_t)info->si_addr - (uintptr_t)arena;
    if (!arena || offset >= managed_begin || opened) {
        /* The access is repeated, and the previous handler handles it. */
        sigaction(SIGSEGV, &previous, nullptr);
        return;
    }
    open_range = {0, managed_begin};
    mprotect(arena, managed_begin, PROT_READ | PROT_WRITE);
    const Array &a = *array_at(offset);
    finding("host access", host_line(interrupted_at(context)),
            "the host dereferences %s + %ld bytes, which is device memory: a "
            "segmentation fault with a GPU (cudaMemcpy copies it)",
            a.name.c_str(), (long)offset - (long)a.offset);
}

/* Installs the handler again, since a test framework may have replaced it. */
void install()
{
    struct sigaction mine = {}, found;
    mine.sa_sigaction = on_fault;
    mine.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &mine, &found);
    if (found.sa_sigaction != on_fault)
        previous = found;
}
} // namespace

/* Only the pages of living_pages become accessible. mprotect takes longer for a
 * larger range, and a test program allocates thousands of arrays. */
emu::DeviceOpen::DeviceOpen()
{
    if (opened++ || !arena)
        return;
    Range living = living_pages();
    mprotect(arena + living.begin, living.end - living.begin,
             PROT_READ | PROT_WRITE);
    if (open_range.end == 0)
        open_range = living;
}

emu::DeviceOpen::~DeviceOpen()
{
    if (--opened || !arena)
        return;
    mprotect(arena + open_range.begin, open_range.end - open_range.begin,
             PROT_NONE);
    open_range = {0, 0};
    install();
}

void emu::host_access(const void *p, size_t bytes, Kind kind, uintptr_t pc)
{
    if (opened) /* the emulator's own access */
        return;
    const Array *a = array_holding(p, bytes);
    if (!a || a->offset < managed_begin)
        return;
    size_t offset = (size_t)(static_cast<const char *>(p) - arena) - a->offset;
    bool writes = kind != Kind::read;
    Conflict c = conflict(a->shadow, offset, bytes, writes, true);
    if (!c.with)
        return;
    bool is_users = !is_emulators(source_line(pc).file);
    finding("not synchronised", is_users ? Place(pc) : Place(host_line(pc)),
            "the host %s %s, which %s of line %d %s: no "
            "cudaDeviceSynchronize between",
            writes ? "writes" : "reads",
            describe_memory(a->shadow, c.offset).c_str(), c.with->name.c_str(),
            c.with->line, c.wrote ? "writes" : "reads");
    host_waits_for_all(); /* so that one missing wait is one finding */
}
