#!/bin/sh
# 06_flash2/ring/hosts.sh P RING: ranks on P hosts of their own, and what the
# network card of the second has sent (the first one's rank 0 deals out rows,
# too). A host is a network namespace with a name and an address; a bridge is the
# switch between them. All of it is gone afterwards.
# Needs root, ip, and Open MPI; where it may not be, one line says so.
set -u
export LC_ALL=C

hosts=$1
ring=$2
if [ "${3-}" != inside ]; then
    why=
    command -v ip >/dev/null || why="no ip (iproute2)"
    unshare -n -m true 2>/dev/null || why="network namespaces are not allowed"
    mpirun --version 2>/dev/null | grep -q 'Open MPI' || why="no Open MPI"
    [ -z "$why" ] || {
        echo "ring's hosts: left out, $why"
        exit 0
    }
    exec unshare -n -m sh "$0" "$hosts" "$ring" inside
fi

set -e
mount --make-rprivate /
mount -t tmpfs none /run
mkdir -p /run/netns
ip link set lo up
ip link add br0 type bridge
ip addr add 10.77.0.254/24 dev br0
ip link set br0 up
i=1
while [ "$i" -le "$hosts" ]; do
    ip netns add "h$i"
    ip link add "v$i" type veth peer name eth0 netns "h$i"
    ip link set "v$i" master br0 up
    ip -n "h$i" addr add "10.77.0.$i/24" dev eth0
    ip -n "h$i" link set eth0 up
    ip -n "h$i" link set lo up
    echo "10.77.0.$i slots=1" >>/run/hosts
    i=$((i + 1))
done
set +e

# ssh HOST COMMAND..., as mpirun calls it: 10.77.0.3 is the namespace h3.
cat >/run/agent <<'END'
while [ "${1#-}" != "$1" ]; do
    shift
done
host=h${1##*.}
shift
exec ip netns exec "$host" unshare -u sh -c "hostname $host; exec sh -c '$*'"
END

# What host 2 has sent, as the switch has counted it.
card() {
    awk '/v2:/ { print $2 }' /proc/net/dev
}

# asked OPTIONS: RING on all hosts, its line of CSV and what the card sent.
asked() {
    before=$(card)
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        mpirun --hostfile /run/hosts --map-by node -np "$hosts" \
        --mca plm_rsh_agent "sh /run/agent" --mca plm_rsh_no_tree_spawn 1 \
        --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 \
        --mca oob_tcp_if_include 10.77.0.0/24 --mca mpi_yield_when_idle 1 \
        "$PWD/$ring" --csv "$@" </dev/null 2>/run/wrong | sed -n 2p | tr '\n' ,
    echo $(($(card) - before))
}

# Few queries and many keys for those that send keys, so that they send much
# and compute little; the other way round for tree, which sends what came out.
failed=0
echo "$hosts hosts: bytes that a rank has sent to others, by its network card"
echo
printf '%-8s %12s %12s %12s %7s\n' step formula counted "card" ratio
for step in gather ring zigzag ulysses tree; do
    sizes="--n 64 --nk 16384"
    [ "$step" = tree ] && sizes="--n 8192 --nk 64"
    # shellcheck disable=SC2086
    asked --step "$step" --heads 8 --d 64 $sizes >/run/line
    awk -F, '
        { counted = 4 * $12; formula = 4 * $16; card = $NF
          printf "%-8s %12d %12d %12d %7.4f\n", $1, formula, counted, card, \
              card / counted
          ok = formula == counted && counted >= 1e7 && card >= counted &&
               card <= 1.05 * counted + 65536 && $22 < 1e-5 }
        END { exit !ok }' /run/line || {
        echo "$step: not what was to be sent: $(cat /run/line /run/wrong)"
        failed=$((failed + 1))
    }
done
echo
echo "$((5 - failed)) passed, $failed failed"
exit $((failed > 0))
