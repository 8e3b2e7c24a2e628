"""Who works when, in rungs 8, 9 and 10?

    python3 07_cuda/lab/timeline.py TRACE [events]

The emulator says what the first thread of each warpgroup asked and waited for,
in which order (trace.c); this does the same again against a clock, by a data
sheet: tensor cores that do 4096 FLOPs a clock, 16 exponentials a clock, and
loads of 40 bytes a clock, which is assumed. Everything else takes no time. Who
asks at the same time shares, and a warpgroup's products are taken up one after
another: assumed, too. So what comes out is what waiting alone costs, and
nothing measured.

Lines: box, rung, loads | products | softmax, which consumer, label, from, to
(clocks) | busy, rung, percent of the time that the tensor cores work. With
`events` also: event, rung, clock, warpgroup, and what the trace says that it
did then: what, of which barrier, number.
"""
import collections
import itertools
import subprocess
import sys

LOADS, PRODUCTS, SOFTMAX = KINDS = "loads", "products", "softmax"


class Job:
    """Something that takes time; those of one kind and actor come in turn."""

    def __init__(self, clocks, label, barrier=None, size=0):
        self.left, self.began, self.label = clocks, None, label
        self.barrier, self.size = barrier, size


class Barrier:
    count = arrived = bytes = phase = 0

    def end_phase(self):
        if self.count and self.arrived == self.count and self.bytes == 0:
            self.phase += 1
            self.arrived = 0


class Gate:
    """bar.sync or __syncthreads: opens when all who are awaited have come."""

    came = opened = 0

    def come(self, threads, awaited):
        self.came += threads
        if self.came == awaited:
            self.came = 0
            self.opened += 1


class Actor:
    """A warpgroup: what its first thread did."""

    def __init__(self):
        self.events, self.at = [], 0
        self.flops, self.label = 0, ""  # of products not yet committed
        self.seen = None  # at a gate, or in softmax: what it waits to change
        self.queue = {kind: collections.deque() for kind in KINDS}

    def add(self, kind, *job):
        self.queue[kind].append(Job(*job))


class Replay:
    def __init__(self, rung, lines):
        self.rung = rung
        self.actors = collections.defaultdict(Actor)
        self.barriers = collections.defaultdict(Barrier)
        self.gates = collections.defaultdict(Gate)
        self.now = self.busy = 0
        self.first = self.last = None  # of products
        for thread, what, name, n in lines:
            self.actors[int(thread) // 128].events.append((what, name, int(n)))

    def pass_gate(self, a, gate, threads, awaited):
        """Whether it may go on; each comes once."""
        if a.seen is None:
            a.seen = gate.opened
            gate.come(threads, awaited)
        if a.seen == gate.opened:
            return False
        a.seen = None
        return True

    def act(self, a):
        """False if the actor must wait; its event then comes again."""
        what, name, n = a.events[a.at]
        if what == "init":
            self.barriers[name].count = n
        elif what == "arrive":
            self.barriers[name].arrived += 1
            self.barriers[name].bytes += n
        elif what == "load":
            # What is loaded: "K_full[0]"; in rung 8 "full[0]", for both.
            label = "T" if name[0] == "f" else name[0].upper()
            a.add(LOADS, n / 40, label, self.barriers[name], n)
        elif what == "wait":
            return (self.barriers[name].phase - 1) & 1 == n
        elif what == "wgmma":
            a.flops += 2 * 64 * 16 * n
            a.label = name[0] + name[2]
        elif what == "commit":
            if a.queue[PRODUCTS]:
                return False
            a.add(PRODUCTS, a.flops / 4096, a.label)
            a.flops = 0
        elif what == "wgmma_wait":
            return len(a.queue[PRODUCTS]) <= n
        elif what == "exp":
            if a.seen is None:
                n = sum(1 for _ in itertools.takewhile(
                    lambda e: e[0] == "exp", a.events[a.at:]))
                a.add(SOFTMAX, 128 * n / 16, "s")
                a.seen = "exp"
                a.at += n - 1
            if a.queue[SOFTMAX]:
                return False
            a.seen = None
        elif what == "bar_arrive":  # the others of its warpgroup do the same
            self.gates[name].come(128, n)
        elif what == "bar_sync":
            return self.pass_gate(a, self.gates[name], 128, n)
        elif what == "syncthreads":
            return self.pass_gate(a, self.gates[what], 1, len(self.actors))
        return True

    def end(self, who, kind, job):
        consumer = "-" if kind == LOADS else "AB"[who - len(self.actors) + 2]
        print("box", self.rung, kind, consumer, job.label, f"{job.began:.0f}",
              f"{self.now:.0f}", sep="\t")
        if kind == LOADS:
            job.barrier.bytes -= job.size
        if kind == PRODUCTS:
            self.last = self.now

    def advance(self):
        """Until the next job ends; who works at the same time shares equally.
        False if there is none."""
        working = [(kind, who, a.queue[kind]) for kind in KINDS
                   for who, a in sorted(self.actors.items()) if a.queue[kind]]
        users = collections.Counter(kind for kind, _, _ in working)
        if not working:
            return False
        for _, _, queue in working:
            if queue[0].began is None:
                queue[0].began = self.now
        step = min(queue[0].left * users[kind] for kind, _, queue in working)
        if users[PRODUCTS]:
            self.busy += step
            if self.first is None:
                self.first = self.now
        self.now += step
        for kind, who, queue in working:
            queue[0].left -= step / users[kind]
            if queue[0].left < 1e-6:
                self.end(who, kind, queue.popleft())
        return True

    def end_phases(self):
        for barrier in self.barriers.values():
            barrier.end_phase()

    def run(self, tell):
        """Everybody goes on as far as he can; then time does."""
        again = True
        while again:
            moved = True
            while moved:
                moved = False
                for who, a in sorted(self.actors.items()):
                    while a.at < len(a.events) and self.act(a):
                        if tell and a.events[a.at][0] != "exp":
                            print("event", self.rung, f"{self.now:.0f}", who,
                                  *a.events[a.at], sep="\t")
                        a.at += 1
                        self.end_phases()
                        moved = True
            again = self.advance()
            self.end_phases()
        if any(a.at < len(a.events) for a in self.actors.values()):
            sys.exit(f"timeline: {self.rung}: nobody can go on")
        share = 100 * self.busy / (self.last - self.first)
        print("busy", self.rung, f"{share:.0f}", sep="\t")


if sys.argv[2:] not in ([], ["events"]):
    sys.exit(f"'{sys.argv[2]}': not an argument here (events, or none)")
trace = subprocess.run(sys.argv[1], check=True, capture_output=True, text=True)
for its in trace.stdout.split("rung\t")[1:]:
    rung, *lines = its.splitlines()
    Replay(rung, [line.split("\t") for line in lines]).run("events" in sys.argv)
