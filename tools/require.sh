#!/bin/sh
# tools/require.sh TOOL...: if a tool is not installed, prints one line with the command
# that installs it, and exits with 1. If `compiler` is the only TOOL, CC must build a
# program. If TOOL has a slash, it is a folder that must be writable.
set -u
export LC_ALL=C

build=${BUILD:-build}
cc=${CC:-cc}

stop() {
    echo "$*" >&2
    exit 1
}

# makes_program CC: true if CC builds a program.
makes_program() {
    echo 'int main(void) { return 0; }' |
        $1 -x c - -o "$build/tried.$$" 2>/dev/null && rm -f "$build/tried.$$"
}
# no_compiler ERROR: prints the error of CC and the compilers that work, and exits with 1.
no_compiler() {
    works=
    for other in cc gcc clang; do
        ! makes_program "$other" || works="$works${works:+, }CC=$other"
    done
    rmdir "$build" 2>/dev/null
    [ "$works" ] || stop "CC=$cc: $1 (sh setup.sh installs a compiler)"
    stop "CC=$cc: $1 (works here: $works)"
}
# locked_in FOLDER: prints the first file in FOLDER that this user can neither write nor
# owns, for example after `sudo make`. Another program may remove files meanwhile.
locked_in() {
    find "$1" ! -user "$(id -u)" ! -type l -exec sh -c '
        for file; do [ -w "$file" ] || [ ! -e "$file" ] || echo "$file"; done' \
        sh {} + 2>/dev/null | sed 1q
}
writable() {
    mkdir -p "$1" 2>/dev/null
    if [ "$1" != ./ ] && [ -w . ] && locked=$(locked_in "${1%/}") && [ "$locked" ]; then
        mine=$([ ! -d work ] || echo ' work')
        stop "$locked: belongs to another user (sudo make?);" \
            "use sudo chown -R $(id -un) ${1%/}$mine"
    fi
    [ -w "$1" ] ||
        stop "${1%/}: not writable; copy the project to a folder that you own"
}

missing=
option=
for tool in "$@"; do
    case $tool in
    compiler) continue ;; # tested at the end
    */*) writable "$tool" && continue ;;
    *) sh setup.sh --has="$tool" && continue ;;
    esac
    case $tool in
    cmocka) tool=CMocka ;;
    esac
    missing="$missing${missing:+, }$tool"
    case $tool in CMocka | gnuplot | gcc | make | python3) continue ;; esac
    case $tool in
    bwrap | seccomp) needed=' --grade' ;;
    katex | venv) needed=' --book' ;;
    *) needed=' --dev' ;;
    esac
    # --dev installs what the other options install.
    [ "${option:-$needed}" = "$needed" ] || needed=' --dev'
    option=$needed
done
[ -z "$missing" ] ||
    stop "$missing: not found (sh setup.sh$option installs it)"

[ "$*" = compiler ] || exit 0
writable "$build"
command -v "${cc%% *}" >/dev/null || no_compiler "not found"
makes_program "$cc" || no_compiler "cannot build a program"
