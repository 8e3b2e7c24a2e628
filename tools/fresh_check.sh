#!/bin/sh
# tools/fresh_check.sh: README's commands, word for word, on systems
# that have nothing: debootstrap makes a minimal Debian, a clone of this
# repository's last commit is put inside, and a reader types what README says.
#
# SYSTEMS, if set, says which: cases SYSTEM:WHO:COMPILER:MORE, or `all` of them.
# MORE is --dev (then the book is made), --mpi or mpich (an MPI that was there
# before setup.sh came), or nothing, such as in trixie:user:clang:. What passed is
# written to build/fresh.tsv.
#
# Exit 0: all passed (but for sid, which moves: its failure is only reported).
# Exit 1: something failed. Exit 77: it could not be tried here (no root, no
# debootstrap, no mirror).
set -u
. tools/count.sh
PATH=$PATH:/usr/sbin:/sbin # debootstrap is there, and su keeps a user's PATH

here=$PWD/build/fresh
cache=${XDG_CACHE_HOME:-$HOME/.cache}/flashattention-fresh
results=build/fresh.tsv
systems=${SYSTEMS:-short}
[ "$systems" != short ] || systems='bookworm:root:gcc: trixie:user:clang:--mpi'
[ "$systems" != all ] || systems='bookworm:root:gcc: bookworm:user:gcc:
    bookworm:user:clang: trixie:root:gcc: trixie:user:gcc: trixie:user:clang:
    bookworm:root:gcc:--dev trixie:user:gcc:--dev
    bookworm:user:gcc:--mpi trixie:root:gcc:--mpi trixie:user:clang:--mpi
    bookworm:root:gcc:mpich trixie:user:gcc:mpich
    sid:root:gcc: sid:user:clang:'

cannot() {
    echo "fresh-check: $*" >&2
    exit 77
}

[ "$(id -u)" -eq 0 ] || cannot "needs root, to make a system of its own"
for tool in debootstrap unshare chroot git timeout busybox; do
    command -v "$tool" >/dev/null ||
        cannot "$tool: not found (sh setup.sh --dev installs it)"
done
unshare --mount --pid --fork true 2>/dev/null ||
    cannot "may not make a namespace for its mounts"

# Where this system's own packages come from.
from=$(sh tools/mirror.sh)
[ -n "$from" ] || cannot "apt knows no mirror of Debian"

# --- A system ----------------------------------------------------------------

# unpack SYSTEM: into $root, as debootstrap made it within the last month. No
# mirror, no system: exit 77.
unpack() {
    base=$cache/$1-$(dpkg --print-architecture).tar
    rm -rf "$root" && mkdir -p "$root" "$cache" || exit 1
    if [ "$(find "$base" -mtime -30 2>/dev/null)" ]; then
        tar -C "$root" -xf "$base" || exit 1
    else
        timeout 400 debootstrap --variant=minbase "$1" "$root" "$from" \
            >"$log" 2>&1 || cannot "$1: debootstrap made no system of it ($log)"
        tar -C "$root" -cf "$base.$$" . && mv "$base.$$" "$base" || exit 1
    fi
    cp /etc/resolv.conf "$root/etc/" 2>/dev/null
    echo 'Acquire::http::Timeout "20";' >"$root/etc/apt/apt.conf.d/99fresh"
    # Nobody needs this system after a crash.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/fresh"
}

# as WHO COMMAND: types it in the clone. Mounts and processes end with it, and
# nobody outside sees the mounts. An hour is as good as for ever. There is no
# /sys, and nothing in the PATH that a user of Debian would not have there; but
# memory to share, which MPICH asks for, is open to everybody, as in Debian.
net=
as() {
    user=root
    path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    [ "$1" = root ] || user=reader path=/usr/local/bin:/usr/bin:/bin
    echo "[$1] \$ $2" >>"$log"
    # shellcheck disable=SC2016,SC2086 # expanded inside; an option or none
    timeout 3600 unshare --mount --pid $net --fork --kill-child sh -c '
        mount -t proc proc "$1/proc" &&
            mount -t tmpfs -o mode=1777 shm "$1/dev/shm" || exit 1
        [ -z "$6" ] || busybox ip link set lo up || exit 1
        exec chroot --userspec="$2" "$1" /usr/bin/env -i HOME="${3%/*}" \
            PATH="$5" ${http_proxy+http_proxy="$http_proxy"} \
            sh -c "cd $3 && $4"' \
        sh "$root" "$user" "$clone" "$2" "$path" "$net" >>"$log" 2>&1 </dev/null
}

# offline COMMAND: the reader types it where no machine but this one is reached.
offline() {
    net=--net
    as "$who" "$1"
    status=$?
    net=
    return "$status"
}

# --- A reader ----------------------------------------------------------------

# The lines of README's sh fences under "Two commands".
typed() {
    awk '/^## / { under = /Two commands/ }
        /^```/ { inside = under && /sh$/; next }
        inside' README.md
}

# administrator: installs what setup.sh names for one to a reader without root.
administrator() {
    not as user "$setup" || return 1
    line=$(sed -n 's/^    \(apt-get update .*\)/\1/p' "$log" | tail -n 1)
    [ -n "$line" ] && as root "$line"
}

# exercise NN: the chapter's first fails, is hinted, is solved.
exercise() {
    for solution in "$1"_*/exercise/*/solution/*.c*; do break; done
    named=${solution#*/exercise/}
    named="$with E=${named%%/*}"
    not as "$who" "make $named exercise-$1" &&
        tail -n 3 "$log" | grep -q 'not yet' &&
        as "$who" "make $named hint-$1" &&
        as "$who" "cp $solution work/$1/ && make $named exercise-$1" &&
        tail -n 3 "$log" | grep -q 'all tests passed'
}

# type_all: README's lines, word for word; or what else was asked for.
type_all() {
    [ "$who" = root ] || administrator || return
    if [ "$compiler$more" != gcc ]; then
        as "$who" "$setup" && offline "make $with $goals"
        return
    fi
    [ "$(typed | grep -c .)" -eq 2 ] || return
    typed >"$tmp/typed"
    while read -r line; do
        as "$who" "$line" || return
    done <"$tmp/typed"
}

# All of it, as far as it goes. No file that git knows is another one afterwards,
# a warning of a compiler or linker may be in no line, and nothing left out but
# MPI where it was not asked for.
reader() {
    for package in $bring; do
        as root "apt-get install -q -y --no-install-recommends $package" || return
    done
    type_all || return
    did="the book"
    if [ "$goals" != book ]; then
        chapters=$(sed -n 's/^.* chapters: \([0-9]*\) ran, 0 failed$/\1/p' "$log")
        tests=$(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$log" | tail -n 1)
        did="$chapters chapters, $tests tests"
        [ "$chapters" ] && [ "$tests" ] && exercise 03 && exercise 07 || return
    fi
    {
        git -c safe.directory='*' -C "$root$clone" status --porcelain 2>&1
        grep -nE '(:[0-9]+: |^([a-z0-9/]+: )?)warning: ' "$log"
        grep -n 'left out' "$log" | grep -v "$may_lack"
    } >"$tmp/wrong"
    cat "$tmp/wrong" >>"$log"
    [ ! -s "$tmp/wrong" ]
}

# version COMMAND: the first number with a dot in what it prints, or a dash.
version() {
    as root "$1"
    tail -n 1 "$log" | grep -oE '[0-9]+(\.[0-9]+)+' | sed 1q | grep . || echo -
}

# one_case SYSTEM WHO COMPILER [MORE]
one_case() {
    system=$1
    who=$2
    compiler=$3
    more=${4-}
    root=$here/$system-$who-$compiler$more
    log=$root.log
    clone=/root/flashattention
    [ "$who" = root ] || clone=/home/reader/flashattention

    with=
    bring= # what is there before setup.sh
    goals="tour test"
    may_lack='ring: no MPI, '
    mpi=-
    [ "$compiler" = gcc ] || with=CC=$compiler bring=$compiler
    case $more in
    --dev) goals=book ;;
    --mpi) mpi="Open MPI" may_lack='^$' ;;
    mpich) mpi=MPICH may_lack='^$' bring="$bring mpich libmpich-dev" more=--mpi ;;
    esac
    setup="sh setup.sh${more:+ $more}"
    began=$(date +%s)

    mkdir -p "$here"
    : >"$log"
    unpack "$system"
    mkdir -p "$root${clone%/*}"
    git clone -q --no-hardlinks . "$root$clone" || exit 1
    [ "$who" = root ] || chroot "$root" useradd -M -U reader || exit 1
    [ "$who" = root ] || chroot "$root" chown -R reader:reader /home/reader
    as root 'apt-get -o APT::Update::Error-Mode=any update -q' ||
        cannot "$system: the mirror was not reached ($log)"

    if reader; then
        count 0
        echo "  ok      ${root##*/}, $(($(date +%s) - began)) s: $did"
        [ "$mpi" = - ] || mpi="$mpi $(
            version "mpirun --version | grep -iE 'version|open mpi' | sed 1q")"
        printf '%s\t%s\t%s\t%s\t%s %s\t%s\t%s\t%s\t%s\t%s\n' "$system" \
            "$(version 'cat /etc/debian_version')" "$who" "${more:--}" \
            "$compiler" "$(version "$compiler --version | sed 1q")" \
            "$(version 'g++ --version | sed 1q')" \
            "$(version 'ldd --version | sed 1q')" \
            "$(version 'pkg-config --modversion cmocka')" "$mpi" "$did" \
            >>"$results"
    else
        tail -n 25 "$log" | sed 's/^/  | /'
        echo "  FAILED  ${root##*/}: at the last command in $log"
        [ "$system" = sid ] || count 1
    fi
    rm -rf --one-file-system "$root"
}

mkdir -p build
root=$here/none
trap 'rm -rf --one-file-system "$root" "$tmp"' EXIT
trap 'exit 130' INT TERM
printf 'system\tversion\twho\tsetup\tcompiler\tg++\tglibc\tcmocka\tmpi\tpassed\n' \
    >"$results"
for each in $systems; do
    # shellcheck disable=SC2046 # its parts
    one_case $(echo "$each" | tr : ' ')
done
finish
