# 06_flash2/ring/rounds.awk: computes the data of docs/lab/ring.gp: which rank attends
# to which keys in each round of a ring with a causal mask. Each of four ranks has 16
# rows, which are neighbouring or folded (zigzag). The columns are the rule, the round,
# the rank, the owner of the keys, and the fraction of the scores that are not masked.

function chunk(rule, r, half)
{
    if (rule == "neighbours")
        return 2 * r + half
    return half ? 2 * P - 1 - r : r
}

# Returns the number of unmasked scores of the queries of chunk q with the keys
# of chunk k.
function seen(q, k)
{
    return k < q ? n * n : k == q ? n * (n + 1) / 2 : 0
}

BEGIN {
    P = 4
    n = 8 # rows of a chunk
    split("neighbours folded", rules, " ")
    for (k = 1; k <= 2; k++)
        for (t = 0; t < P; t++)
            for (r = 0; r < P; r++) {
                whose = (r - t + P) % P
                pairs = 0
                for (a = 0; a < 2; a++)
                    for (b = 0; b < 2; b++)
                        pairs += seen(chunk(rules[k], r, a), \
                            chunk(rules[k], whose, b))
                printf "%s\t%d\t%d\t%d\t%.4f\n", rules[k], t, r, whose, \
                    pairs / (4 * n * n)
            }
}
