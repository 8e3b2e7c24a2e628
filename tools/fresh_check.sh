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
export LC_ALL=C

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

# unpack SYSTEM: into $root, as debootstrap made it within the last month (sid:
# day). No mirror, no system: exit 77.
unpack() {
    base=$cache/$1-$(dpkg --print-architecture).tar
    days=30
    [ "$1" = sid ] && days=1
    rm -rf "$root" && mkdir -p "$root" "$cache" || exit 1
    if [ -z "$(find "$base" -mtime -"$days" 2>/dev/null)" ]; then
        rm -rf "$cache/$1.packages"
        timeout 400 debootstrap --variant=minbase "$1" "$root" "$from" \
            >"$log" 2>&1 || {
            tail -n 3 "$log" >&2
            cannot "$1: debootstrap made no system of it"
        }
        tar -C "$root" -cf "$base.$$" . && mv "$base.$$" "$base" || exit 1
    else
        tar -C "$root" -xf "$base" || exit 1
    fi
    mkdir -p "$cache/$1.packages"
    cp -p "$cache/$1.packages"/*.deb "$root/var/cache/apt/archives" 2>/dev/null
    cp /etc/resolv.conf "$root/etc/" 2>/dev/null
    echo 'Acquire::http::Timeout "20";' >"$root/etc/apt/apt.conf.d/99fresh"
}

# as WHO COMMAND: types it in the clone. Mounts and processes end with it, and
# nobody outside sees the mounts. Half an hour is as good as for ever.
as() {
    home=/root
    user=root
    [ "$1" = root ] || { home=/home/reader && user=reader; }
    echo "[$1] \$ $2" >>"$log"
    # shellcheck disable=SC2016 # expanded inside
    timeout 1800 unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$1/proc" || exit 1
        exec chroot --userspec="$2" "$1" /usr/bin/env -i HOME="$3" \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            ${http_proxy+http_proxy="$http_proxy"} \
            sh -c "cd $4 && $5"' \
        sh "$root" "$user" "$home" "$clone" "$2" >>"$log" 2>&1 </dev/null
}

# typed HEADING: the lines of README's first sh fences under it.
typed() {
    awk -v heading="## $1" '
        /^## /    { under = $0 == heading }
        /^```/    { inside = $0 == "```sh" && under; next }
        inside' README.md
}

# --- A reader ----------------------------------------------------------------

# step WHAT COMMAND...: counts it. After the first failure of a case the rest of
# it is left out.
step() {
    what=$1
    shift
    [ -z "$broken" ] || return 1
    if "$@"; then
        passed=$((passed + 1))
    else
        broken=$what
    fi
}

not() {
    ! "$@"
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

# A warning of a compiler or linker, in any line.
no_warning() {
    not grep -nE '(:[0-9]+: |^([a-z0-9/]+: )?)warning: ' "$log" &&
        not grep -n '^[^r].*left out' "$log" # MPI is: ring
}

# first PATTERN: what stands in its place in what the case printed last.
first() {
    sed -n "s/$1/\1/p" "$log" | tail -n 1
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
    name=$system-$who-$compiler
    root=$here/$name
    log=$here/$name.log
    clone=/root/flashattention
    with=
    broken=
    began=$(date +%s)
    [ "$who" = user ] && clone=/home/reader/flashattention
    [ "$compiler" = gcc ] || with=CC=$compiler

    mkdir -p "$here"
    : >"$log"
    unpack "$system"
    git clone -q --no-hardlinks . "$root$clone.part" || exit 1
    [ "$who" = root ] || chroot "$root" useradd -M -U reader || exit 1
    mkdir -p "$root${clone%/*}" && mv "$root$clone.part" "$root$clone"
    [ "$who" = root ] || chroot "$root" chown -R reader:reader /home/reader
    as root 'apt-get -o APT::Update::Error-Mode=any update -q' || {
        tail -n 2 "$log" >&2
        cannot "$system: the mirror was not reached"
    }

    [ "$who" = root ] || step "setup.sh without root" administrator
    if [ "$compiler" = gcc ]; then
        typed 'Two commands' >"$here/typed"
        step "README's two commands" [ "$(grep -c . "$here/typed")" -eq 2 ]
        while read -r line; do
            step "$line" as "$who" "$line"
        done <"$here/typed"
    else
        step "installing $compiler" as root \
            "apt-get install -q -y --no-install-recommends $compiler"
        step "make $with tour test" as "$who" "make $with tour test"
    fi
    chapters=$(first '^[0-9]* chapters: \([0-9]*\) ran, 0 failed$')
    tests=$(first '^\([0-9]*\) passed, 0 failed$')
    step "counts of chapters and tests" [ "${chapters:+1}${tests:+1}" = 11 ]
    step "exercise-03" exercise 03
    step "exercise-07" exercise 07
    step "no warning, nothing left out" no_warning
    cp -n "$root"/var/cache/apt/archives/*.deb "$cache/$system.packages/" \
        2>/dev/null

    took=$(($(date +%s) - began))
    if [ -n "$broken" ]; then
        echo "  FAILED  $1, $took s: $broken (the last lines of $log)"
        tail -n 25 "$log" | sed 's/^/  | /'
        [ "$system" = sid ] || failed=$((failed + 1))
    else
        echo "  ok      $1, $took s: $chapters chapters, $tests tests"
        printf '%s\t%s\t%s\t%s %s\t%s\t%s\t%s\t%s\t%s\n' "$system" \
            "$(version 'cat /etc/debian_version')" "$who" \
            "$compiler" "$(version "$compiler --version | sed 1q")" \
            "$(version 'g++ --version | sed 1q')" \
            "$(version 'ldd --version | sed 1q')" \
            "$(version 'pkg-config --modversion cmocka')" \
            "$chapters" "$tests" >>"$results"
    fi
    rm -rf --one-file-system "$root"
}

passed=0
failed=0
mkdir -p build
root=$here/none
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 130' INT TERM
printf 'system\tversion\twho\tcompiler\tg++\tglibc\tcmocka\tchapters\ttests\n' \
    >"$results"
for each in $systems; do
    one_case "$each"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
