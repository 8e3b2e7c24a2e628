#!/bin/sh
# sh setup.sh [--dev] [--mpi]: installs what the project needs, through the system's
# package manager. It looks first, says what it will run, and installs only
# what is missing: a second run changes nothing.
set -u
export LC_ALL=C
# Where Debian puts tools of its administrators, such as debootstrap, and where
# its users do not look.
PATH=$PATH:/usr/sbin:/sbin

usage() {
    cat <<'END'
usage: sh setup.sh [--dev] [--mpi]

  (nothing)  what a learner needs: a C compiler, make, pkg-config, CMocka (for
             tests and exercises), gnuplot (for plots) and a C++ compiler (for
             chapter 07)
  --dev      also what `make check` needs: clang, clang-format, OpenMP and
             libFuzzer for clang, valgrind, strace, busybox, NumPy, pip; and `make
             book`: pandoc, Chromium and aspell with its English words; and
             `make fresh-check`: debootstrap (where apt is); and MPI
  --mpi      also Open MPI, for attention over many machines (`make ring`)
  --help     this text

CUDA is never installed, only found: chapter 07 runs without it.
END
}

dev=false
mpi=false
cc=cc
for argument in "$@"; do
    case $argument in
    --dev) dev=true mpi=true ;;
    --mpi) mpi=true ;;
    --has=*) cc=${CC:-cc} ;; # asked by tools/need.sh: is that there?
    --help | -h)
        usage
        exit 0
        ;;
    *)
        argument=$(printf '%.200s' "$argument" | tr -d '\000-\037\177')
        echo "$argument: unknown option (--dev, --mpi or --help)" >&2
        exit 2
        ;;
    esac
done

# --- What is there -----------------------------------------------------------

have() {
    command -v "$1" >/dev/null 2>&1
}

# compiles COMPILER LANGUAGE [FLAG...]: does it build the program on stdin?
compiles() {
    have "${1%% *}" || return 1
    with=$1
    language=$2
    shift 2
    $with -x "$language" - -o "$probe" "$@" 2>/dev/null
}

# found THING: true if it is installed. Headers and libraries are asked for by
# building with them, not by package names, which differ between systems.
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
        # shellcheck disable=SC2046 # flags, several words
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
    numpy)
        for python in build/venv/bin/python python3 /usr/bin/python3; do
            "$python" -c 'import numpy' 2>/dev/null && return
        done
        return 1
        ;;
    pip) python3 -m pip --version >/dev/null 2>&1 ;;
    pkg-config) have pkg-config || have pkgconf ;;
    mpi) have mpicc && have mpirun ;;
    aspell) have aspell && aspell dicts | grep -q '^en_GB' ;;
    locales) [ -e /usr/share/i18n/locales/de_DE ] ;;
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

# --- What it is called here --------------------------------------------------

# package THING: its packages for $manager. One that has its own name everywhere
# has no row; - comes with another one or with the system, or is none (Chromium
# of Homebrew). Apple's command line tools bring cc, make, clang and g++.
package() {
    # shellcheck disable=SC2034 # by eval
    while read -r thing apt dnf pacman brew; do
        [ "$thing" = "$1" ] || continue
        eval "names=\$$manager"
        [ "$names" = - ] || echo "$names" | tr , ' '
        return
    done <<'END'
aspell aspell,aspell-en aspell,aspell-en aspell,aspell-en aspell
busybox busybox busybox busybox -
bwrap bubblewrap bubblewrap bubblewrap -
chromium chromium,fonts-dejavu-core chromium chromium -
clang clang clang clang -
clang-format clang-format clang-tools-extra clang clang-format
cmocka libcmocka-dev libcmocka-devel cmocka cmocka
compiler gcc,libc6-dev gcc gcc -
debootstrap debootstrap,debian-archive-keyring,util-linux - - -
fuzzer libclang-rt-dev compiler-rt compiler-rt -
g++ g++ gcc-c++ gcc -
gnuplot gnuplot-nox gnuplot gnuplot gnuplot
make make make make -
mpi libopenmpi-dev,openmpi-bin openmpi-devel openmpi open-mpi
numpy python3-numpy python3-numpy python-numpy numpy
openmp libomp-dev libomp-devel openmp libomp
pandoc pandoc pandoc pandoc-cli pandoc
pip python3-pip python3-pip python-pip python
pkg-config pkg-config pkgconf-pkg-config pkgconf pkg-config
valgrind valgrind,libc6-dbg valgrind valgrind -
END
    echo "$1"
}

manager=none
for each in brew:brew pacman:pacman dnf:dnf apt-get:apt; do
    ! have "${each%:*}" || manager=${each#*:}
done

# --- What is missing ---------------------------------------------------------

things="compiler g++ make pkg-config cmocka gnuplot"
"$dev" && things="$things clang clang-format openmp fuzzer valgrind busybox"
"$dev" && things="$things strace numpy pip pandoc chromium aspell"
"$mpi" && things="$things mpi"
# A country where a decimal has a comma, for the tools' tests.
"$dev" && [ "$manager" = apt ] && things="$things locales debootstrap bwrap"

missing=
for thing in $things; do
    found "$thing" || missing="$missing $thing"
done

if have nvcc; then
    echo "CUDA: found ($(command -v nvcc))"
else
    echo "CUDA: not found (not needed: chapter 07 then runs on the CPU)"
fi

if [ -z "$missing" ]; then
    echo "Everything is there ($things). Nothing to install."
    echo "next: make tour"
    exit 0
fi

if [ "$manager" = none ]; then
    {
        echo "There is no package manager here that setup.sh knows (apt, dnf," \
            "pacman, brew)."
        echo "Please install:"
        for thing in $missing; do
            case $thing in
            compiler) echo "  a C compiler, called cc" ;;
            cmocka) echo "  CMocka, with its header (https://cmocka.org)" ;;
            openmp) echo "  OpenMP for clang (libomp)" ;;
            *) echo "  $thing" ;;
            esac
        done
    } >&2
    exit 1
fi

packages=
for thing in $missing; do
    for name in $(package "$thing"); do
        case " $packages " in
        *" $name "*) ;;
        *) packages="$packages${packages:+ }$name" ;;
        esac
    done
done

# --- Installing it -----------------------------------------------------------

case $manager in
apt)
    install="apt-get update -q && DEBIAN_FRONTEND=noninteractive"
    install="$install apt-get install -q -y --no-install-recommends $packages"
    ;;
dnf) install="dnf install -y $packages" ;;
pacman) install="pacman -S --needed --noconfirm $packages" ;;
brew) install="brew install $packages" ;;
esac

# for_an_administrator WHY: the whole line, to be handed on.
for_an_administrator() {
    {
        echo "$1 An administrator can install it, as root:"
        echo
        echo "    $install"
        echo
        echo "The tour itself needs only a C compiler and make:"
        echo
        echo "    make tour"
    } >&2
    exit 1
}

echo "Missing:$missing"
if [ -n "$packages" ]; then
    echo "Installing with $manager: $packages"
    if [ "$manager" = brew ] || [ "$(id -u)" -eq 0 ]; then
        echo "+ $install"
        sh -c "$install" || { echo "$install: failed" >&2; exit 1; }
    elif have sudo; then
        echo "+ sudo sh -c '$install'"
        sudo sh -c "$install" || for_an_administrator "That failed."
    else
        for_an_administrator "This needs root, and there is no sudo."
    fi
fi

still=
for thing in $missing; do
    case $manager:$thing in
    # make does without them
    brew:valgrind | brew:openmp | brew:busybox | brew:fuzzer) continue ;;
    esac
    found "$thing" || still="$still $thing"
done
if [ -n "$still" ]; then
    echo "Still missing:$still" >&2
    [ "$manager" = brew ] && echo "(xcode-select --install?)" >&2
    exit 1
fi
echo "Done."
echo "next: make tour"
