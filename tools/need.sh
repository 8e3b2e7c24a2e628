#!/bin/sh
# tools/need.sh TOOL...: nothing if all of them are there; else one line that
# says what installs them, and exit 1. CC, if set, is the compiler to try.
set -u
export LC_ALL=C

missing=
developer=
for tool in "$@"; do
    case $tool in
    cmocka)
        # A header can lie outside the path, so the compiler is asked.
        # shellcheck disable=SC2046 # flags, several words
        printf '%s\n' '#include <setjmp.h>' '#include <stdarg.h>' \
            '#include <stddef.h>' '#include <stdint.h>' '#include <cmocka.h>' |
            ${CC:-cc} $(pkg-config --cflags cmocka 2>/dev/null) \
                -fsyntax-only -x c - 2>/dev/null && continue
        tool=CMocka
        ;;
    wasi-libc)
        printf '%s\n' '#include <vector>' \
            'int main() { return (int)std::vector<int>(1).at(0); }' |
            clang++ --target=wasm32-wasi -fno-exceptions -o /dev/null -x c++ - \
                2>/dev/null && continue
        developer=' --dev'
        ;;
    numpy)
        for python in build/venv/bin/python python3 /usr/bin/python3; do
            "$python" -c 'import numpy' 2>/dev/null && continue 2
        done
        developer=' --dev'
        ;;
    *)
        command -v "$tool" >/dev/null 2>&1 && continue
        case $tool in
        gnuplot | cc | gcc | make) ;;
        *) developer=' --dev' ;;
        esac
        ;;
    esac
    missing="$missing${missing:+, }$tool"
done

[ -z "$missing" ] && exit 0
echo "$missing: not found (sh setup.sh$developer installs it)" >&2
exit 1
