#!/bin/sh
# tools/need.sh TOOL...: nothing if all of them are there; else one line that
# says what installs them, and exit 1. `compiler` is CC, which must make a program,
# and a folder to build in.
set -u
export LC_ALL=C

build=${BUILD:-build}
cc=${CC:-cc}

# there TOOL: headers and libraries are asked for by compiling.
there() {
    case $1 in
    compiler) command -v "${cc%% *}" ;;
    cmocka)
        # shellcheck disable=SC2046 # flags, several words
        printf '#include <%s.h>\n' setjmp stdarg stddef stdint cmocka |
            $cc $(pkg-config --cflags cmocka 2>/dev/null) \
                -fsyntax-only -x c - ;;
    wasi-libc)
        printf '#include <vector>\nint main() {}\n' | clang++ -x c++ - \
            --target=wasm32-wasi -fno-exceptions -o /dev/null ;;
    numpy) build/venv/bin/python -c 'import numpy' ||
            python3 -c 'import numpy' || /usr/bin/python3 -c 'import numpy' ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

stop() {
    echo "$*" >&2
    exit 1
}

missing=
developer=
for tool in "$@"; do
    there "$tool" && continue
    case $tool in
    cmocka) tool=CMocka ;;
    compiler) tool=${cc%% *} ;;
    esac
    missing="$missing${missing:+, }$tool"
    case $tool in CMocka | gnuplot | cc | gcc | make) continue ;; esac
    developer=' --dev'
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
