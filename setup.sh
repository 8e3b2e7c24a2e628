#!/bin/sh
# sh setup.sh [OPTION...]: installs the missing programs and libraries with apt. It
# prints the command before it runs it.
set -u
export LC_ALL=C
# debootstrap is in /usr/sbin, which is not in the PATH of Debian's users.
PATH=$PATH:/usr/sbin:/sbin

usage() {
    cat <<'END'
usage: sh setup.sh [--book] [--dev] [--grade] [--mpi]

  (nothing)  install a C compiler, make, pkg-config, CMocka (for tests and
             exercises), gnuplot (for plots), a C++ compiler (for chapter
             07) and Python 3 (for `make cuda-check`)
  --book     also install Python's venv, KaTeX, and clang, lld and wasi-libc
             (for programs that run in the pages) for `make book`. The first
             `make book` installs its site generator in build/ with pip
  --dev      also install clang, clang-format, OpenMP and libFuzzer for clang,
             valgrind, strace, busybox, bmake, NumPy, nbformat, pip, Node,
             Chromium, and aspell with its English words for `make check`, and
             debootstrap (if apt exists) for `make fresh-check`. Implies all
             other options
  --grade    also install bubblewrap and libseccomp for Python, to grade files
             in a sandbox (docs/instructor.md)
  --mpi      also install Open MPI, for attention over many machines
             (`make ring`)
  --help     print this text

setup.sh prints whether nvcc exists, but never installs CUDA. Chapter 07 runs
without CUDA.
END
}

book=false
dev=false
grade=false
mpi=false
next='make tour'
cc=cc
for argument in "$@"; do
    case $argument in
    --book) book=true next='make book' ;;
    --dev) book=true dev=true grade=true mpi=true next='make check' ;;
    --grade) grade=true next='open docs/instructor.md' ;;
    --mpi) mpi=true next='make ring' ;;
    --has=*) cc=${CC:-cc} ;; # for require.sh: --has=THING exits 0 if THING is installed
    --help | -h)
        usage
        exit 0
        ;;
    *)
        argument=$(printf '%.200s' "$argument" | tr -d '\000-\037\177')
        echo "setup.sh: $argument: unknown option; allowed: --book, --dev, --grade," \
            "--mpi, --help" >&2
        exit 2
        ;;
    esac
done

have() {
    command -v "$1" >/dev/null 2>&1
}

# compiles COMPILER LANGUAGE [FLAG...]: true if COMPILER builds the program on stdin.
compiles() {
    have "${1%% *}" || return 1
    with=$1
    language=$2
    shift 2
    $with -x "$language" - -o "$probe" "$@" 2>/dev/null
}

# found THING: true if THING is installed. For cc, g++ or a C library it builds a test
# program, because package names differ between systems.
found() {
    case $1 in
    compiler)
        printf '%s\n' '#include <stdio.h>' 'int main(void) { return 0; }' |
            compiles cc c
        ;;
    g++)
        printf '%s\n' '#include <vector>' 'int main() { return 0; }' |
            compiles g++ c++
        ;;
    cmocka)
        # shellcheck disable=SC2046 # must split into words
        {
            printf '#include <%s.h>\n' setjmp stdarg stddef stdint cmocka
            echo 'int main(void) { return 0; }'
        } | compiles "$cc" c $(pkg-config --cflags --libs cmocka 2>/dev/null ||
            echo -lcmocka)
        ;;
    openmp)
        printf '%s\n' '#include <omp.h>' \
            'int main(void) { return omp_get_max_threads() < 1; }' |
            compiles clang c -fopenmp
        ;;
    fuzzer)
        printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
            'int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);' \
            'int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)' \
            '{ return n > 1 && data[0] > 255; }' |
            compiles clang c -fsanitize=fuzzer,address
        ;;
    nbformat) /usr/bin/python3 -c 'import nbformat' 2>/dev/null ;;
    numpy)
        for python in build/venv/bin/python python3 /usr/bin/python3; do
            "$python" -c 'import numpy' 2>/dev/null && return
        done
        return 1
        ;;
    wasm)
        printf '%s\n' '#include <stdio.h>' 'int main(void) { return puts("") < 0; }' |
            compiles "clang --target=wasm32-wasi" c && have llvm-ar
        ;;
    seccomp) /usr/bin/python3 -c 'import seccomp' 2>/dev/null ;;
    pip) python3 -m pip --version >/dev/null 2>&1 ;;
    pkg-config) have pkg-config || have pkgconf ;;
    mpi) have mpicc && have mpirun ;;
    venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    katex) [ -f /usr/share/javascript/katex/fonts/KaTeX_Main-Regular.woff2 ] ;;
    aspell) have aspell && aspell dicts | grep -q '^en_GB' ;;
    *) have "$1" ;;
    esac
}

directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
probe=$directory/probe
case ${1-} in --has=*)
    found "${1#--has=}"
    exit
    ;;
esac

[ -e run ] || [ ! -e tools/not_built.sh ] || ln -sfn tools/not_built.sh run 2>/dev/null

# packages THING: prints the names of the Debian packages that contain THING.
packages() {
    case $1 in
    aspell) echo aspell aspell-en ;;
    bwrap) echo bubblewrap ;;
    chromium) echo chromium fonts-dejavu-core ;;
    cmocka) echo libcmocka-dev ;;
    compiler) echo gcc libc6-dev ;;
    debootstrap) echo debootstrap debian-archive-keyring util-linux ;;
    fuzzer) echo libclang-rt-dev ;;
    gnuplot) echo gnuplot-nox ;;
    katex) echo libjs-katex fonts-katex ;;
    mpi) echo libopenmpi-dev openmpi-bin ;;
    nbformat) echo python3-nbformat ;;
    numpy) echo python3-numpy ;;
    openmp) echo libomp-dev ;;
    pip) echo python3-pip ;;
    seccomp) echo python3 python3-seccomp ;;
    valgrind) echo valgrind libc6-dbg ;;
    venv) echo python3-venv ;;
    node) echo nodejs ;;
    wasm) echo clang lld llvm wasi-libc libclang-rt-dev-wasm32 ;;
    *) echo "$1" ;;
    esac
}

things="compiler g++ make pkg-config cmocka gnuplot python3"
"$dev" && things="$things clang clang-format openmp fuzzer valgrind busybox"
"$dev" && things="$things bmake strace nbformat numpy pip chromium aspell node"
"$book" && things="$things venv katex wasm"
"$grade" && things="$things bwrap seccomp"
"$mpi" && things="$things mpi"
"$dev" && have apt-get && things="$things debootstrap"

missing=
for thing in $things; do
    found "$thing" || missing="$missing $thing"
done

if have nvcc; then
    echo "CUDA: found ($(command -v nvcc))"
else
    echo "CUDA: not found; chapter 07 runs on the CPU"
fi

if [ -z "$missing" ]; then
    echo "All tools are installed: $things"
    echo "next: $next"
    exit 0
fi

install=
for thing in $missing; do
    install="$install $(packages "$thing")"
done
have apt-get || {
    echo "Not installed:$missing" >&2
    echo "apt-get: not found; setup.sh can install only with apt. Please install" \
        "these packages by hand (Debian's names):$install" >&2
    exit 1
}
echo "Not installed:$missing"
echo "apt will install:$install"
install="apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q\
 -y --no-install-recommends$install"

# stop_for_administrator WHY: prints the command for an administrator, and exits with 1.
stop_for_administrator() {
    cat >&2 <<END
setup.sh: $1. An administrator can run this command as root:

    $install

END
    case " $missing " in
    *' compiler '* | *' make '*)
        echo "Nothing runs before that: the tour needs a C compiler and make." ;;
    *) printf 'The tour needs only a C compiler and make:\n\n    make tour\n' ;;
    esac >&2
    exit 1
}

if [ "$(id -u)" -eq 0 ]; then
    echo "+ $install"
    sh -c "$install" || { echo "$install: failed" >&2; exit 1; }
elif have sudo; then
    echo "+ sudo sh -c '$install'"
    sudo sh -c "$install" || stop_for_administrator "the command above failed"
else
    stop_for_administrator "needs root, and sudo is not installed"
fi

still=
for thing in $missing; do
    found "$thing" || still="$still $thing"
done
if [ "$still" ]; then
    echo "setup.sh: still not found after the installation:$still" >&2
    exit 1
fi
echo "All missing tools are now installed."
echo "next: $next"
