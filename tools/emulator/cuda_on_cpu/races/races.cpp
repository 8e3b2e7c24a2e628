/* races.cpp: checks an access by the cell of its word. The rule for races is
 * FastTrack's (Flanagan and Freund, PLDI 2009): a cell stores the last write
 * and one reader. Only a word with unordered reads by several threads has a row
 * of readers. Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/races/shadow.h"
#include "tools/emulator/cuda_on_cpu/races/streams.h"

#include <set>
#include <vector>

#include "tools/emulator/cuda_on_cpu/machine.h"
#include "tools/emulator/cuda_on_cpu/warp/collectives.h"

namespace
{
using namespace emu;

/* Returns "V_j" for "V_j + 12 bytes". */
std::string only_name(const std::string &what)
{
    return what.substr(0, what.find(" + "));
}

/* The pcs of plain reads whose thread then updates the same word by atomicCAS.
 * They need no order: if the value is stale, the atomicCAS fails. */
std::set<uint32_t> swap_reads;

/* `first` describes the earlier access. `read` is the pc of a plain read that
 * conflicts with an atomic, or 0. Such a finding is deferred to the end of the
 * block, and dropped if the read is one of swap_reads. */
void race(const Touch &t, const std::string &first, const char *why,
          uint32_t read = 0)
{
    if (swap_reads.count(read))
        return;
    std::string what = describe_memory(*t.shadow, t.offset);
    std::string me = actor_name(now.me), kind = "race", text;
    if (summarised) {
        kind += " on " + only_name(what);
        text = first + ", " + me + " " + verb(t.kind) + ", " + why;
    } else
        text = (is_agent(now.me) ? me + " " : "") + verb(t.kind) + " " + what +
               ", which " + first + ": " + why;
    if (read)
        defer_finding(kind, t.pc, text, read);
    else
        finding(kind.c_str(), t.pc, "%s", text.c_str());
}

/* `other` is an actor of this block, or -1 for another block. past_verb is
 * "read" or "wrote". pc is that of the other access, or 0 if it is unknown. */
void race_of_threads(const Touch &t, const char *past_verb, int other,
                     uint32_t pc, uint32_t read = 0)
{
    std::string first = other < 0 ? "another block" : actor_name((Actor)other);
    const char *why = other < 0                ? "blocks have no order"
                      : is_agent((Actor)other) ? "not waited for"
                                               : "no barrier between";
    race(t, first + " " + past_verb + (pc ? " at " + line_of(pc, t.pc) : ""),
         why, read);
}

/* Reports a race with an operation of another stream that may be running. */
void check_streams(const Touch &t, const char *past_verb, uint32_t epoch)
{
    const Operation *o = t.shadow->array ? unordered(epoch) : nullptr;
    if (o)
        race(t,
             o->name + " of line " + std::to_string(o->line) + " " + past_verb +
                 " in another stream",
             "no event between");
}

/* A store that is a race with another store unless the values are the same. */
struct Suspect {
    Touch t;
    int other;
    uint32_t pc;
    unsigned thread;
    unsigned char before[4];
};
std::vector<Suspect> suspects;

void suspect(const Touch &t, int other, uint32_t pc)
{
    if (t.kind != Kind::write || is_agent(now.me) ||
        (other >= 0 && is_agent((Actor)other))) {
        race_of_threads(t, "wrote", other, pc);
        return;
    }
    suspects.push_back({t, other, pc, running_thread(), {}});
    __builtin_memcpy(suspects.back().before, t.shadow->begin + t.offset,
                     t.bytes);
    unsettled = true;
}

/* Reports a read by TMA or a tensor core without a fence after the store. They
 * read shared memory by the asynchronous proxy, and may read the old value. */
void check_proxy(const Cell &c, const Touch &t)
{
    if (is_agent(now.me) && !t.shadow->array && t.kind == Kind::read &&
        c.write_epoch >= now.block_epoch &&
        !was_fenced(c.writer, c.write_clock))
        finding("proxy", t.pc,
                "%s reads %s, which thread %s wrote%s: no "
                "fence_proxy_async after that",
                actor_name(now.me).c_str(),
                describe_memory(*t.shadow, t.offset).c_str(),
                thread_name(c.writer).c_str(),
                c.write_pc ? (" at " + line_of(c.write_pc, t.pc)).c_str() : "");
}

/* Shared memory is uninitialised when a block begins. */
void check_is_written(const Cell &c, const Touch &t)
{
    if (t.shadow->array ? c.write_epoch > 0 : c.write_epoch >= now.block_epoch)
        return;
    std::string what = describe_memory(*t.shadow, t.offset);
    if (t.shadow->array)
        finding("uninitialised", t.pc, "reads %s, which was never written",
                what.c_str());
    else
        defer_finding("uninitialised", t.pc,
                      "reads " + what + ", which was never written");
}

void check_against_write(const Cell &c, const Touch &t)
{
    if (is_atomic(t.kind) && (c.flags & ATOMIC))
        return;
    int other = c.writer;
    if (c.write_epoch < now.block_epoch) {
        if (c.write_epoch < now.launch_epoch)
            return check_streams(t, "wrote", c.write_epoch);
        if (!t.shadow->array ||
            is_released(c.writer, c.write_epoch, c.write_clock))
            return;
        other = -1;
    } else if (is_over(c.writer, c.write_epoch, c.write_clock))
        return;
    if (c.flags & ATOMIC)
        race_of_threads(t, "wrote", other, c.write_pc,
                        t.kind == Kind::read ? short_pc(t.pc) : 0);
    else
        suspect(t, other, c.write_pc);
}

/* Returns an actor whose read is not ordered before this access, or -1. */
int unordered_reader(const Cell &c)
{
    if (!(c.flags & MANY_READERS))
        return is_over_by_clock(c.reader, c.read_clock) ? -1 : c.reader;
    const uint32_t *readers = row(c.read_clock);
    for (unsigned i = 0; i < actor_count(); i++)
        if (!is_over_by_clock((Actor)i, readers[i]))
            return (int)i;
    return -1;
}

/* True if the last read, in another block, is complete for this thread. */
bool read_is_released(const Cell &c)
{
    return is_released(c.reader, c.read_epoch,
                       c.flags & MANY_READERS ? UINT32_MAX : c.read_clock);
}

void check_against_reads(const Cell &c, const Touch &t)
{
    if (c.read_epoch < now.launch_epoch)
        return check_streams(t, "read", c.read_epoch);
    bool other_block = c.read_epoch < now.block_epoch;
    uint32_t read =
        is_atomic(t.kind) && !(c.flags & OTHER_LINES) ? c.read_pc : 0;
    if (t.kind == Kind::swap && c.reader == now.me && !other_block)
        swap_reads.insert(c.read_pc);
    if (t.shadow->array &&
        ((c.flags & OTHER_READERS) || (other_block && !read_is_released(c))))
        race_of_threads(t, "read", -1, other_block ? c.read_pc : 0, read);
    if (c.read_epoch != now.epoch)
        return;
    int reader = unordered_reader(c);
    if (reader < 0)
        return;
    race_of_threads(t, "read", reader, c.read_pc, read);
    if (!t.shadow->array && c.write_epoch < now.block_epoch)
        drop_uninitialised(long_pc(c.read_pc));
}

void remember_read(Cell &c, const Touch &t)
{
    uint32_t pc = short_pc(t.pc);
    if (c.read_epoch < (t.shadow->array ? now.launch_epoch : now.block_epoch) ||
        (c.read_epoch < now.block_epoch && !(c.flags & OTHER_READERS) &&
         read_is_released(c)))
        c.flags &= ~(uint32_t)(OTHER_READERS | OTHER_LINES);
    else {
        if (c.read_epoch < now.block_epoch)
            c.flags |= OTHER_READERS;
        if (c.read_epoch != now.epoch && !(c.flags & OTHER_READERS))
            c.flags &= ~(uint32_t)OTHER_LINES;
        else if (c.read_pc != pc)
            c.flags |= OTHER_LINES;
    }

    if (c.read_epoch != now.epoch)
        c.flags &= ~(uint32_t)MANY_READERS;
    else if (!(c.flags & MANY_READERS) &&
             !is_over_by_clock(c.reader, c.read_clock)) {
        uint32_t first = new_row();
        row(first)[c.reader] = c.read_clock;
        c.read_clock = first;
        c.flags |= MANY_READERS;
    }
    if (c.flags & MANY_READERS)
        row(c.read_clock)[now.me] = my_clock();
    else
        c.read_clock = my_clock();
    c.reader = now.me;
    c.read_epoch = now.epoch;
    c.read_pc = pc;
}

void remember_write(Cell &c, const Touch &t)
{
    c.write_epoch = now.epoch;
    c.write_clock = my_clock();
    c.writer = now.me;
    c.write_pc = short_pc(t.pc);
    c.flags &= ~(uint32_t)ATOMIC;
    if (is_atomic(t.kind))
        c.flags |= ATOMIC;
}

} // namespace

const char *emu::verb(Kind k)
{
    return k == Kind::read    ? "reads"
           : k == Kind::write ? "writes"
                              : "atomically updates";
}

bool emu::is_swap_read(uint32_t pc)
{
    return swap_reads.count(pc) != 0;
}

bool emu::unsettled;

void emu::settle()
{
    unsigned running = running_thread();
    Actor me = now.me;
    std::vector<Suspect> all;
    all.swap(suspects);
    unsettled = false;
    for (const Suspect &s : all) {
        report_as(s.thread);
        now.me = (Actor)s.thread;
        if (__builtin_memcmp(s.before, s.t.shadow->begin + s.t.offset,
                             s.t.bytes))
            race_of_threads(s.t, "wrote", s.other, s.pc);
        else
            note(s.t.pc,
                 "several threads store the same value in " +
                     only_name(describe_memory(*s.t.shadow, s.t.offset)));
    }
    report_as(running);
    now.me = me;
}

uint64_t emu::touch(Cell &c, const Touch &t)
{
    bool first = t.kind == Kind::read && c.read_epoch < now.launch_epoch;
    if (t.kind != Kind::write)
        check_is_written(c, t);
    if (c.flags & IN_FLIGHT)
        finding("cp.async", t.pc, "%s %s, whose copy was not waited for: %s",
                verb(t.kind), describe_memory(*t.shadow, t.offset).c_str(),
                copy_under_way(t.offset, t.pc).c_str());
    check_against_write(c, t);
    check_proxy(c, t);
    if (t.kind != Kind::read)
        check_against_reads(c, t);

    if (t.kind == Kind::read)
        remember_read(c, t);
    else
        remember_write(c, t);
    return first ? t.bytes : 0;
}
