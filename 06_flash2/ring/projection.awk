# 06_flash2/ring/projection.awk: computes, as Markdown, the time of a ring of
# many machines from the two rates of docs/results/ring_rates.tsv; it is not
# measured. For one layer of 32 query and 8 key heads, d = 128, causal, zigzag,
# fp32.
#     attend  2 N N d Hq / P FLOPs a rank (the causal half)
#     send    2 (P - 1) / P N Hk d floats a rank, of 4 bytes
#     hold    Q, O and two chunks of K and V, of N / P rows

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
    printf "Projected from %.2f GFLOP/s of a rank and %.0f MB/s between two, both\n" \
        "on a busy machine of two cores:\n\n", flops / 1e9, rate / 1e6
    print "| N | ranks | to attend | to send | to hold |"
    print "|---|---|---|---|---|"
    for (N = 1e6; N <= 1e7; N *= 10)
        for (P = 8; P <= 1024; P *= P == 8 ? 8 : 16)
            row(N, P)
}
