#!/bin/sh
# tools/need.sh TOOL...: nothing if all of them are there; else one line that
# says what installs them, and exit 1. CC, if set, is the compiler to try.
set -u
export LC_ALL=C

# there TOOL: headers and libraries are asked for by compiling.
there() {
    case $1 in
    cmocka)
        # shellcheck disable=SC2046 # flags, several words
        printf '#include <%s.h>\n' setjmp stdarg stddef stdint cmocka |
            ${CC:-cc} $(pkg-config --cflags cmocka 2>/dev/null) \
                -fsyntax-only -x c - ;;
    wasi-libc)
        printf '#include <vector>\nint main() {}\n' | clang++ -x c++ - \
            --target=wasm32-wasi -fno-exceptions -o /dev/null ;;
    numpy) build/venv/bin/python -c 'import numpy' ||
            python3 -c 'import numpy' || /usr/bin/python3 -c 'import numpy' ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

missing=
developer=
for tool in "$@"; do
    there "$tool" && continue
    [ "$tool" != cmocka ] || tool=CMocka
    missing="$missing${missing:+, }$tool"
    case $tool in CMocka | gnuplot | cc | gcc | make) continue ;; esac
    developer=' --dev'
done
[ -z "$missing" ] && exit 0
echo "$missing: not found (sh setup.sh$developer installs it)" >&2
exit 1
