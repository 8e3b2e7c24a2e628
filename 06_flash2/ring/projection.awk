# 06_flash2/ring/projection.awk: prints a Markdown table of the time and memory of a
# ring of many machines. The time is not measured, but computed from the two rates of
# docs/results/ring_rates.tsv. The layer has 32 query and 8 key heads, d = 128, a causal
# limit, zigzag rows, and is in fp32. A rank needs
#     attend  2 N N d Hq / P FLOPs (half of all pairs are attended)
#     send    2 (P - 1) / P N Hk d floats of 4 bytes
#     hold    N / P rows of Q and O, and 2 N / P rows of K and V

/^flops/ { flops = $2 }
/^bytes/ { rate = $2 }

function time_of(s)
{
    if (s < 90)
        return sprintf("%.0f s", s)
    if (s < 5400)
        return sprintf("%.0f min", s / 60)
    if (s < 172800)
        return sprintf("%.1f h", s / 3600)
    return sprintf("%.0f days", s / 86400)
}

function row(N, P,    attend, send, hold)
{
    attend = 2 * N * N * d * Hq / P / flops
    send = 4 * 2 * (P - 1) / P * N * Hk * d / rate
    hold = 4 * N / P * (2 * Hq * d + 4 * Hk * d)
    printf "| 10^%d | %d | %s | %s | %.3g GB |\n", \
        length(sprintf("%d", N)) - 1, P, time_of(attend), \
        time_of(send), hold / 1e9
}

END {
    d = 128
    Hq = 32
    Hk = 8
    printf "Projected from %.2f GFLOP/s per rank and %.0f MB/s between two ranks,\n" \
        "both measured on a busy machine with two cores:\n\n", flops / 1e9, rate / 1e6
    print "| N | ranks | to attend | to send | to hold |"
    print "|---|---|---|---|---|"
    for (N = 1e6; N <= 1e7; N *= 10)
        for (P = 8; P <= 1024; P *= P == 8 ? 8 : 16)
            row(N, P)
}
