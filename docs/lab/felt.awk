# bench_peers.tsv: how many times as fast flash2_simd is as standard attention by
# three calls of OpenBLAS; without a causal limit, which only one of them can use.
$6 != "0" { next }
$1 == "flash2_simd" { ours = $7 }
$1 == "openblas" {
    ratio = ours / $7
    least = !n++ || ratio < least ? ratio : least
    most = ratio > most ? ratio : most
}
END {
    printf "It is %.1f to %.1f times as fast as standard attention by three calls " \
        "of\nOpenBLAS (`make bench-peers`).\n", least, most
}
