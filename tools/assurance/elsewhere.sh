#!/bin/sh
# tools/assurance/elsewhere.sh: compiles chapters 01 to 06 for other processors with
# Debian's cross compilers, and runs their tests in the emulator qemu-user. For s390x,
# whose bytes are in the other order, it runs the tests of .npy files, of the bits of
# types, and of chapters 01 to 03. CMocka comes from Debian's package for the processor,
# which is unpacked in build/elsewhere. Writes a line for each processor to
# build/elsewhere/elsewhere.tsv: its name, the tests that passed and failed, the commit.
# Exits with 77 if a program is missing.
set -u
export LC_ALL=C
here=$PWD/build/elsewhere
mkdir -p "$here" || exit 1
table=$here/elsewhere.tsv
: >"$table"
failed=0

# cmocka SUITE DEBIAN: unpacks CMocka for a processor in the folder $root.
cmocka() {
    [ ! -d "$root/usr" ] || return 0
    state=$here/apt-$2
    mkdir -p "$state/lists/partial" "$root" && cd "$root" || return
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$keys] http://deb.debian.org/debian $1 main" \
        >"$state/sources.list"
    set -- -qq -o APT::Architecture="$2" -o APT::Architectures="$2" \
        -o Dir::State::lists="$state/lists" -o Dir::State::status=/dev/null \
        -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root
    apt-get "$@" update && apt-get "$@" download libcmocka0 libcmocka-dev &&
        for package in *.deb; do dpkg -x "$package" . || return; done
}

# on PROCESSOR DEBIAN SUITE TESTS...: compiles and runs these tests (tests of BUILD).
on() {
    processor=$1 triple=$1-linux-gnu root=$here/$2
    if ! command -v "$triple-gcc" >/dev/null || ! command -v "qemu-$1" >/dev/null; then
        echo "$1: left out; apt-get install qemu-user gcc-$1-linux-gnu" >&2
        missing=1
        return
    fi
    (cmocka "$3" "$2") || { echo "$1: no CMocka" >&2 && failed=1 && return; }
    shift 3
    libraries=$root/usr/lib/$triple
    # Tests are slower in the emulator, so each may take longer.
    LEFT_OUT='' WRAP="qemu-$processor -L /usr/$triple -E LD_LIBRARY_PATH=$libraries" \
        "${MAKE:-make}" --no-print-directory -j"$(getconf _NPROCESSORS_ONLN)" \
        BUILD="build/elsewhere/build-$processor" NO_CUDA=1 NO_MPI=1 TARGETS=base \
        AMX_TARGETS=model PAIRS_TARGETS=pairs_model \
        CC="$triple-gcc -isystem $root/usr/include -L$libraries" "$@" \
        >"$here/$processor.log" 2>&1 || failed=1
    awk -v OFS='\t' -v processor="$processor" -v commit="$(git rev-parse --short HEAD)" '
        /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; bad += $3; ran = 1 }
        END {
            if (ran) print processor, passed, bad, "g" commit
            else print processor ": no test ran" >"/dev/stderr"
            exit !ran
        }' "$here/$processor.log" | tee -a "$table" | grep . || failed=1
    grep FAILED "$here/$processor.log"
}
missing=
chapters='test-01 test-02 test-03 test-04 test-05 test-06'
# shellcheck disable=SC2086 # must split into words
{
    on aarch64 arm64 bookworm $chapters
    on riscv64 riscv64 trixie $chapters # Debian 12 has no riscv64
}
bytes=
for test in common/tests/test_npy common/tests/test_precision common/tests/test_random \
    01_naive_softmax/test_naive_softmax 02_safe_softmax/test_safe_softmax \
    03_online_softmax/test_online_softmax; do
    bytes="$bytes build/elsewhere/build-s390x/$test"
done
# precision.h asks for this option: by default s390x computes floats as doubles.
on s390x s390x bookworm TESTS="$bytes" RING_TESTED= \
    OPT='-O2 -g -fexcess-precision=fast' test
[ $failed = 0 ] || { echo "next: read build/elsewhere/*.log" >&2 && exit 1; }
[ ! "$missing" ] || exit 77
