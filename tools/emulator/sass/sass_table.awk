# sass_table.awk LAUNCHES LOG KERNELS: prints a line for each rung and D, with
# the resources of the attention kernel and the instructions of its main loop.
# fp16 is left out. Rungs 9 and 10 at d 128 have another line for the kernel
# with a causal limit, whose tiles have 128 keys. `blocks` is the number of
# blocks that fit on a multiprocessor of an A100 (sm_86: RTX 30, sm_90a: H100).
# Rung 10-first is a version of rung 10 that sass_check.sh makes.
#
# With -v ptxas=ARCH it prints only the numbers that ptxas reports, without the
# line of column names.

BEGIN {
    FS = OFS = "\t"
    if (!ptxas)
        print "rung", "name", "D", "threads", "registers", "static", \
            "dynamic", "blocks", "loop", "tensor", "exp2", "mul", "add", \
            "fma", "max", "round", "overlap", "card"
}

function least(a, b) { return a < b ? a : b }

# Returns the number of blocks that fit on a multiprocessor. It has 65536
# registers, and a warp gets a multiple of 256 of them. A block takes 1 KiB of
# shared memory in addition to its own bytes. sm_86 has fewer threads, fewer
# blocks and less shared memory.
function blocks_of(registers, threads, shared, arch, warps, most, bytes) {
    warps = threads / 32
    most = arch == "sm_86" ? least(int(1536 / threads), 16) : \
        least(int(2048 / threads), 32)
    bytes = arch == "sm_86" ? 102400 : arch == "sm_90a" ? 233472 : 167936
    return least(most, \
        least(int(65536 / (warps * int((registers * 32 + 255) / 256) * 256)), \
            int(bytes / (shared + 1024))))
}

FILENAME == ARGV[1] {
    order[++n] = $1 FS $2
    threads[$1 FS $2] = $3
    dynamic[$1 FS $2] = $4
    KiB[$1 FS $2] = $5
    card[$1 FS $2] = $6
    next
}

FILENAME == ARGV[2] {
    if (match($0, /entry function '[^']*'/))
        kernel = $1 FS substr($0, RSTART + 16, RLENGTH - 17)
    if (/bytes spill stores/) { # "0 bytes stack frame, 8 bytes spill stores, ..."
        match($0, /[0-9]+ bytes spill stores/)
        spilled[kernel] = substr($0, RSTART, RLENGTH) + 0
    }
    if (match($0, /Used [0-9]+ registers/)) {
        registers[kernel] = substr($0, RSTART + 5, RLENGTH - 15)
        match($0, /[0-9]+ bytes smem/)
        static[kernel] = RSTART ? substr($0, RSTART, RLENGTH - 11) + 0 : 0
    }
    next
}

# Selects the kernels of the table. A row has the name of the file. In the
# backward pass, where a rung may have two kernels, it has the name of the
# kernel.
$2 !~ /__half|merge|quantise|_of_D|round_dQ/ && ($2 !~ /Li[0-9]+ELi[0-9]+E/ || $2 ~ /Li31E|5rolesI/) {
    number = name = $1
    sub(/^(rung|backward-)/, "", number)
    sub(/_.*/, "", number)
    sub(/^[^_]*_/, "", name)
    sub(/\..*/, "", name)
    if (number ~ /^b/) {
        match($2, /flash2_backward_[A-Za-z_]+I/)
        name = substr($2, RSTART + 16, RLENGTH - 17)
    }
    match($2, /Li[0-9]+E/)
    key = (number ~ /first/ ? "first " : "") name \
        ($2 ~ /5rolesILi128ELi128E/ ? " causal" : "") FS \
        substr($2, RSTART + 2, RLENGTH - 3)
    kernel_of[key] = $1 FS $2
    number_of[key] = number
    rest[key] = $3 OFS $4 OFS $5 OFS $6 OFS $7 OFS $8 OFS $9 OFS $10 OFS $11
    arch[key] = $1
    sub(/.*\./, "", arch[key])
}

# Prints the row of a kernel, and a message if it needs more shared memory than the
# ladder has. `of` is the key of the kernel, `row` that of its launch.
function print_row(of, row, kernel, name, shared, blocks) {
    kernel = kernel_of[of]
    split(row, name, FS)
    if (static[kernel] + dynamic[row] > 1024 * KiB[row])
        print name[1] ", D " name[2] ": " static[kernel] " and " dynamic[row] \
            " bytes; the ladder has " KiB[row] " KiB"
    if (!kernel)
        return
    shared = static[kernel] + dynamic[row]
    blocks = blocks_of(registers[kernel], threads[row], shared, arch[of])
    if (ptxas)
        print number_of[of], name[1], name[2], ptxas, threads[row], \
            registers[kernel], spilled[kernel], shared, blocks
    else
        print number_of[of], name[1], name[2], threads[row], \
            registers[kernel], static[kernel], dynamic[row], blocks, \
            rest[of], card[row]
}

END {
    for (k = 1; k <= n; k++) {
        print_row("first " order[k], order[k])
        print_row(order[k], order[k])
    }
}
