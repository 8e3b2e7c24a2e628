# sass.awk: reads the output of nvdisasm -c and prints a line for each kernel,
# with:
#
#   - its name, and the number of instructions in the main loop
#   - how many of these instructions are tensor-core products, exponentials,
#     multiplications, additions, FFMA, maxima, and roundings of two floats to a pair
#   - the number of exponentials between a wait that leaves a product running and the
#     next wait, the minimum over all such pairs of waits
#   - the number of accesses to local memory
#   - the number of hazards: uses of a running wgmma's registers by another
#     instruction, and turns that a warpgroup passes on too early
#
# The main loop is the smallest one with at least a quarter of the kernel's exponentials.
# A jump back across an EXIT without a predicate is not a loop: the code after EXIT is
# for shuffles of a diverged warp.
#
# In a loop with products, code that a conditional branch skips is not counted if it has
# at least 31 instructions, and no product, exponential or barrier. With HMMA it must
# also have no copy or store to shared memory. It masks an edge; most tiles skip it.
#
# Between a wgmma and the wait for it only another wgmma may use the registers of its
# accumulator or of its A (PTX ISA, wgmma.mma_async).

function begin(name) {
    kernel = name
    n = waiting = between = pairs = 0
    split("", at_label)
    split("", running)
    split("", reads)
    split("", passed)
    groups = open = turn = last_exit[0] = 0
    hazards = memory = 0
}

# Removes the registers of groups up to `upto`: their products are complete.
function over(upto, r) {
    for (r in running)
        if (running[r] <= upto)
            delete running[r]
    for (r in reads)
        if (reads[r] <= upto)
            delete reads[r]
}

function product(text, operand, first, size, r) {
    split(text, operand, /[ ,]+/)
    match(op, /64x[0-9]+x/)
    size = substr(op, RSTART + 3, RLENGTH - 4) / 2
    first = substr(operand[2], 2) + 0
    open = groups + 1
    if (operand[3] ~ /^R[0-9]/) {
        # A is in registers. None of them may be an accumulator of a running product.
        for (r = substr(operand[3], 2) + 0; r < substr(operand[3], 2) + 4; r++) {
            if (r in running)
                hazards++
            reads[r] = open
        }
    }
    for (r = first; r < first + size; r++)
        running[r] = open
    if (text ~ /gsb0/)
        groups = open
}

# Counts the registers of running products among the operands of an instruction
# that is not a wgmma.
function other(rest, r) {
    while (match(rest, /R[0-9]+/)) {
        r = substr(rest, RSTART + 1, RLENGTH - 1) + 0
        if (RSTART == 1 || substr(rest, RSTART - 1, 1) != "U")
            hazards += r in running || r in reads
        rest = substr(rest, RSTART + RLENGTH)
    }
}

# Returns the number of instructions from..to that match `what` and are not skipped.
function count(from, to, what, k, sum) {
    for (k = from; k <= to; k++)
        sum += ops[k] ~ what && !(k in passed)
    return sum + 0
}

# Marks the blocks of from..to that are not counted (see the top of the file). A block
# with an instruction of the list below or of `work` is not marked.
function pass_over(from, to, work, k, j, end) {
    for (k = from; k < to; k++) {
        end = perhaps[k] && target[k] in at_label ? at_label[target[k]] : 0
        if (end - k < 32 || end > to || \
            count(k + 1, end - 1, "^(H|HG|QG)MMA|^MUFU.EX2|^BAR|^SYNCS" work))
            continue
        for (j = k + 1; j < end; j++)
            passed[j] = 1
    }
}

function finish(k, all, from, to, ex2, best) {
    if (!kernel)
        return
    all = count(1, n, "^MUFU.EX2")
    best = n + 1
    for (k = 1; k <= n; k++) {
        if (!(target[k] in at_label) || at_label[target[k]] > k || \
            last_exit[k] > at_label[target[k]])
            continue
        if (k - at_label[target[k]] >= best)
            continue
        ex2 = count(at_label[target[k]], k, "^MUFU.EX2")
        if (ex2 && ex2 * 4 >= all) {
            from = at_label[target[k]]
            to = k
            best = to - from
        }
    }
    if (count(from, to, "^(H|HG|QG)MMA"))
        pass_over(from, to, count(from, to, "^HMMA") ? "|^LDGSTS|^STS" : "")
    printf "%s\t%d", kernel, from ? count(from, to, ".") : 0
    n_kinds = split("^(H|HG|QG)MMA ^MUFU.EX2 ^FMUL ^FADD ^FFMA ^FMNMX ^F2FP", \
        kind, " ")
    for (k = 1; k <= n_kinds; k++)
        printf "\t%d", count(from, to, kind[k])
    printf "\t%d\t%d\t%d\n", between, memory, hazards
}

/^[ \t]*\.section[ \t]+\.text\./ {
    finish()
    name = $2
    sub(/^\.text\./, "", name)
    sub(/,.*/, "", name)
    begin(name)
    next
}

!kernel { next }

/^[ \t]*\.L_x_[0-9]+:/ {
    label = $1
    sub(/:.*/, "", label)
    at_label[label] = n + 1
    next
}

/^[ \t]*\/\*[0-9a-f]+\*\// {
    text = $0
    sub(/^[ \t]*\/\*[0-9a-f]+\*\/[ \t]*/, "", text)
    sub(/[ \t]*;.*/, "", text)
    perhaps[n + 1] = sub(/^@!?U?P[0-9T]+[ \t]+/, "", text)
    op = text
    sub(/[ \t].*/, "", op)
    ops[++n] = op
    last_exit[n] = op == "EXIT" && !perhaps[n] ? n : last_exit[n - 1]
    target[n] = ""
    if (op ~ /^BRA/ && match(text, /\.L_x_[0-9]+/))
        target[n] = substr(text, RSTART, RLENGTH)
    if (op ~ /^(LDL|STL)/)
        memory++
    if (op ~ /^MUFU.EX2/ && waiting)
        waiting++
    # A warpgroup must keep its turn until it has started both products (rungs 10 and 11).
    if (op ~ /^BAR\.SYNC/ && text ~ /R[0-9]+, 0x100/)
        turn = groups + 2
    if (op ~ /^BAR\.ARV/ && turn > groups)
        hazards++
    if (op ~ /^[HQ]GMMA/)
        product(text)
    else if (op ~ /^WARPGROUP\.DEPBAR/) {
        match(text, /0x[0-9]+/)
        left = substr(text, RSTART + 2, RLENGTH - 2) + 0
        over(groups - left)
        if (waiting && (!pairs++ || waiting - 1 < between))
            between = waiting - 1
        waiting = left > 0
    } else if (op !~ /^WARPGROUP/)
        other(substr(text, length(op) + 1))
}

END { finish() }
