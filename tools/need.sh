#!/bin/sh
# tools/need.sh TOOL...: nothing if all of them are there; else one line that
# says what installs them, and exit 1. `compiler` is CC, which must make a program,
# and a folder to build in; what is asked for of others setup.sh knows.
set -u
export LC_ALL=C

build=${BUILD:-build}
cc=${CC:-cc}

stop() {
    echo "$*" >&2
    exit 1
}

missing=
developer=
for tool in "$@"; do
    case $tool in
    compiler) command -v "${cc%% *}" >/dev/null && continue ;;
    *) sh setup.sh --has="$tool" && continue ;;
    esac
    case $tool in
    cmocka) tool=CMocka ;;
    compiler) tool=${cc%% *} ;;
    esac
    missing="$missing${missing:+, }$tool"
    case $tool in CMocka | gnuplot | cc | gcc | make) continue ;; esac
    case $tool in
    bwrap | seccomp) developer=' --grade' ;;
    katex | venv) developer=' --book' ;;
    *) developer=' --dev' ;;
    esac
done
[ -z "$missing" ] ||
    stop "$missing: not found (sh setup.sh$developer installs it)"

[ "$*" = compiler ] || exit 0
mkdir -p "$build" 2>/dev/null && [ -w "$build" ] ||
    stop "$build: nothing can be written there (copy the project to a folder of" \
        "your own)"
echo 'int main(void) { return 0; }' | $cc -x c - -o "$build/tried" 2>/dev/null ||
    stop "CC=$cc: makes no program (try another one: make CC=gcc, CC=clang)"
rm -f "$build/tried"
