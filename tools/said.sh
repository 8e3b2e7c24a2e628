#!/bin/sh
# tools/said.sh COMMAND: what the command prints, if it succeeds and prints
# anything; else what it said, as an error. Of a program in $BUILD that is kept,
# and it is asked again only if it is another by now, or the programs below it, a
# file that the command names, or the bundled arrays. RECORD=1 asks each time.
set -u
export LC_ALL=C

build=${BUILD:-build}
tmp=$(mktemp) || exit 1
trap 'rm -f "$tmp"' EXIT

# What goes into it, in two numbers.
# shellcheck disable=SC2046 # words
key() {
    {
        echo "$1"
        for word in $1; do
            [ -f "$word" ] || continue
            cksum "$word" "${word%/*}"/*/run "${word%/*}"/*/*/run
            # Some programs are scripts that run another one.
            [ "$(head -c 2 "$word")" != '#!' ] || cksum $(cat "$word")
        done 2>/dev/null
        cksum common/data/*.npy 2>/dev/null
    } | cksum | tr ' ' .
}

keep=
[ "${RECORD-}" ] || case $1 in
"$build"/* | *" $build/"*) keep=$build/said/$(key "$1") ;;
esac
if [ -z "$keep" ] || [ ! -s "$keep" ]; then
    sh -c "$1" >"$tmp" 2>&1 </dev/null && [ -s "$tmp" ] || {
        cat "$tmp" >&2
        exit 1
    }
    : "${keep:=$tmp}"
    mkdir -p "${keep%/*}"
    [ "$keep" = "$tmp" ] || { cp "$tmp" "$keep.$$" && mv "$keep.$$" "$keep"; }
fi
cat "$keep"
