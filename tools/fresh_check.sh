#!/bin/sh
# tools/fresh_check.sh: README's commands, word for word, on systems
# that have nothing: debootstrap makes a minimal Debian, a clone of this
# repository's last commit is put inside, and a reader types what README says.
#
# SYSTEMS, if set, says which: cases SYSTEM:WHO:COMPILER, such as
# trixie:user:clang, or `all` of them. What passed is written to build/fresh.tsv.
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
[ "$systems" != short ] || systems='bookworm:root:gcc trixie:user:clang'
[ "$systems" != all ] || systems='bookworm:root:gcc bookworm:user:gcc
    bookworm:user:clang trixie:root:gcc trixie:user:gcc trixie:user:clang
    sid:root:gcc sid:user:clang'

cannot() {
    echo "fresh-check: $*" >&2
    exit 77
}

[ "$(id -u)" -eq 0 ] || cannot "needs root, to make a system of its own"
for tool in debootstrap unshare chroot git timeout; do
    command -v "$tool" >/dev/null ||
        cannot "$tool: not found (sh setup.sh --dev installs it)"
done
unshare --mount --pid --fork true 2>/dev/null ||
    cannot "may not make a namespace for its mounts"

# Where this system's own packages come from.
mirror() {
    # shellcheck disable=SC2016 # apt's variables
    apt-get indextargets --format '$(ORIGIN) $(LABEL) $(SITE)' \
        'Created-By: Packages' 2>/dev/null |
        awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}
from=$(mirror)
[ -n "$from" ] || { apt-get update -q >/dev/null 2>&1 && from=$(mirror); }
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
}

# as WHO COMMAND: types it in the clone. Mounts and processes end with it, and
# nobody outside sees the mounts. Half an hour is as good as for ever.
as() {
    user=root
    [ "$1" = root ] || user=reader
    echo "[$1] \$ $2" >>"$log"
    # shellcheck disable=SC2016 # expanded inside
    timeout 1800 unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$1/proc" || exit 1
        exec chroot --userspec="$2" "$1" /usr/bin/env -i HOME="${3%/*}" \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            ${http_proxy+http_proxy="$http_proxy"} \
            sh -c "cd $3 && $4"' \
        sh "$root" "$user" "$clone" "$2" >>"$log" 2>&1 </dev/null
}

# --- A reader ----------------------------------------------------------------

# The lines of README's sh fences under "Two commands".
typed() {
    awk '/^## / { under = /Two commands/ }
        /^```/ { inside = under && /sh$/; next }
        inside' README.md
}

# The reader has no root: setup.sh must name the line for an administrator.
administrator() {
    not as user 'sh setup.sh' || return 1
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

# All of it, as far as it goes. A warning of a compiler or linker may be in no
# line, and nothing left out but MPI (ring).
reader() {
    [ "$who" = root ] || administrator || return
    if [ "$compiler" = gcc ]; then
        [ "$(typed | grep -c .)" -eq 2 ] || return
        typed >"$tmp/typed"
        while read -r line; do
            as "$who" "$line" || return
        done <"$tmp/typed"
    else
        as root "apt-get install -q -y --no-install-recommends $compiler" &&
            as "$who" "make $with tour test" || return
    fi
    chapters=$(sed -n 's/^.* chapters: \([0-9]*\) ran, 0 failed$/\1/p' "$log")
    tests=$(sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' "$log" | tail -n 1)
    [ "$chapters" ] && [ "$tests" ] && exercise 03 && exercise 07 &&
        not grep -nE '(:[0-9]+: |^([a-z0-9/]+: )?)warning: ' "$log" &&
        not grep -n '^[^r].*left out' "$log"
}

# version COMMAND: the first number with a dot in what it prints, or a dash.
version() {
    as root "$1"
    tail -n 1 "$log" | grep -oE '[0-9]+(\.[0-9]+)+' | sed 1q | grep . || echo -
}

one_case() {
    system=${1%%:*}
    compiler=${1##*:}
    who=${1#*:}
    who=${who%:*}
    root=$here/$system-$who-$compiler
    log=$root.log
    clone=/root/flashattention
    [ "$who" = root ] || clone=/home/reader/flashattention
    with=
    [ "$compiler" = gcc ] || with=CC=$compiler
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
        echo "  ok      $1, $(($(date +%s) - began)) s: $chapters chapters," \
            "$tests tests"
        printf '%s\t%s\t%s\t%s %s\t%s\t%s\t%s\t%s\t%s\n' "$system" \
            "$(version 'cat /etc/debian_version')" "$who" \
            "$compiler" "$(version "$compiler --version | sed 1q")" \
            "$(version 'g++ --version | sed 1q')" \
            "$(version 'ldd --version | sed 1q')" \
            "$(version 'pkg-config --modversion cmocka')" \
            "$chapters" "$tests" >>"$results"
    else
        tail -n 25 "$log" | sed 's/^/  | /'
        echo "  FAILED  $1: at the last command in $log"
        [ "$system" = sid ] || count 1
    fi
    rm -rf --one-file-system "$root"
}

mkdir -p build
root=$here/none
trap 'rm -rf --one-file-system "$root" "$tmp"' EXIT
trap 'exit 130' INT TERM
printf 'system\tversion\twho\tcompiler\tg++\tglibc\tcmocka\tchapters\ttests\n' \
    >"$results"
for each in $systems; do
    one_case "$each"
done
finish
