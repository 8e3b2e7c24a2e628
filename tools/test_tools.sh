#!/bin/sh
# tools/test_tools.sh: tests scripts of tools/, and gpu_check.sh. A check must accept
# right input and reject wrong input. `make check` runs this script.
set -u
. tools/tally.sh

# prints TEXT COMMAND...: true if the output, without lines that begin with make, is TEXT.
prints() {
    expected=$1
    shift
    "$@" >"$tmp/said" 2>&1
    [ "$(grep -v '^make' "$tmp/said")" = "$expected" ]
}
program() {
    mkdir -p "${1%/*}"
    printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"
}

# --- docs.py -----------------------------------------------------------------

# compared OLD NEW [SHARE]: true if docs.py accepts NEW in place of the line OLD.
compared() {
    printf '%s\n' "$1" >"$tmp/old"
    printf '%s\n' "$2" >"$tmp/new"
    python3 tools/docs.py compare "$tmp/old" "$tmp/new" ${3+"$3"}
}
must "docs.py rejects another count" not compared "reads 2" "reads 3"
must "docs.py accepts an error twice as large" compared "err 1.2e-07 |" "err   2.4e-07 |"
must "docs.py rejects an error three times as large" \
    not compared "1.0e-07,2.0e-07" "1.1e-07,5.9e-07"
must "docs.py rejects NaN in place of an error" not compared "err 1.2e-07" "err nan"
must "docs.py rejects a decimal that is 1% larger" not compared 3.64 3.68 0.001

# woven MARKER: weaves the page $tmp/p.md, which has one block with this marker.
woven() {
    printf '%s\n' "<!-- weave $1 -->" 'old' '<!-- end -->' >"$tmp/p.md"
    BUILD=$tmp/built TIMES=$tmp/times python3 tools/docs.py weave "$tmp/p.md" &&
        not grep -qx old "$tmp/p.md"
}
program "$tmp/built/p" "echo again >>$tmp/ran; echo one"
must "docs.py runs an unchanged program only once" eval 'woven "run build/p" &&
    woven "run build/p" && grep one "$tmp/p.md" && [ "$(wc -l <"$tmp/ran")" -eq 1 ]'
program "$tmp/built/p" 'echo two'
must "docs.py runs a changed program again" \
    eval 'woven "run build/p" && grep two "$tmp/p.md"'
program "$tmp/built/p" 'echo "x 1 ms"'
must "docs.py does not replace the stored time of a step" eval 'woven "run build/p" &&
    program "$tmp/built/p" "echo x 2 ms" && woven "run build/p" &&
    grep "^x 1 ms" "$tmp/p.md"'
for wrong in 'run echo x; false' 'run true' 'rub echo x' 'code Makefile nothing'; do
    must "weaving '$wrong' fails, and the page does not change" eval \
        'not woven "$wrong" && grep -qx old "$tmp/p.md"'
done
printf '# A b\n[x](#a-b) [y](#b) [z](none.md)\n' >"$tmp/p.md"
must "docs.py counts broken links" eval \
    'not python3 tools/docs.py links "$tmp/p.md" >"$tmp/said" &&
    grep "1 passed, 2" "$tmp/said"'

# --- stepdiff.sh, check_includes.sh ------------------------------------------

# $tmp/copy has copies of tools, common and two chapters. `planted` adds mistakes.
mkdir "$tmp/copy"
cp -R tools common 01_* 02_* "$tmp/copy"
kernel=02_safe_softmax/safe_softmax.c

# planted LINES COMMAND...: inserts the lines into the kernel of $tmp/copy.
planted() (
    sed "/ANCHOR_END: kernel/i\\
$1" "$kernel" >"$tmp/copy/$kernel"
    shift
    cd "$tmp/copy" && "$@"
)
must "stepdiff.sh accepts a step with one more line" planted 'f(x);' \
    sh tools/stepdiff.sh 02
must "stepdiff.sh rejects a step with 16 more lines" not planted "$(
    awk 'BEGIN { while (n++ < 15) print "f" n "(x);\\"; print "f(x);" }'
)" sh tools/stepdiff.sh 02
must "check_includes.sh accepts the project's includes" planted '' \
    sh tools/check_includes.sh
for wrong in common/lesson/options.h docs/lab/pictures.h tools/flash/flash.h; do
    must "check_includes.sh rejects a kernel that includes $wrong" not planted \
        "#include \"$wrong\"" sh tools/check_includes.sh
done

# --- test.sh -----------------------------------------------------------------

# counts EXIT TEXT LINE...: true if test.sh fails and prints the line TEXT. Its first
# program did not build. The second prints each LINE and exits with EXIT.
counts() {
    program "$tmp/program" "printf '%s\\n' $(shift 2 && printf "'%s' " "$@")
exit $1"
    not env UNBUILT="$tmp/other" sh tools/test.sh "$tmp/other" "$tmp/program" \
        >"$tmp/said" && grep -x "$2" "$tmp/said"
}
must "test.sh counts two passed tests, and an unbuilt program as failed" \
    counts 0 '2 passed, 1 failed' 1..2 'ok 1 - a' 'ok 2 - b'
must "test.sh prints the name of a failed test" \
    counts 1 "next: make test ONLY='b'" 1..2 'ok 1 - a' 'not ok 2 - b'
must "test.sh counts an exit code other than 0 as a failure, even if all tests passed" \
    counts 3 '2 passed, 2 failed' 1..2 'ok 1 - a' 'ok 2 - b'
must "test.sh counts tests that did not run after a crash as failed" \
    counts 139 '1 passed, 3 failed' 1..3 'ok 1 - a' '# begin b'
must "test.sh does not count a skipped test" \
    counts 0 '1 passed, 1 failed' 1..2 'ok 1 - a' 'not ok 2 # SKIP b'
must "test.sh counts output that is not TAP as a failure" \
    counts 0 '0 passed, 2 failed' '[       OK ] a'

# --- exercise.sh -------------------------------------------------------------

for name in one two; do
    mkdir -p "$tmp/01_y/exercise/$name"
    echo "int $name; // TODO" >"$tmp/01_y/exercise/$name/$name.c"
    printf '/*\n * For the grader:\n *   f: x\n */\n' \
        >"$tmp/01_y/exercise/$name/test_$name.c"
    printf '## %s\n### Hint 1 of %s\n' $name $name >>"$tmp/01_y/exercise/hints.md"
done
mkdir "$tmp/tools"
ln -s "$PWD"/tools/* "$tmp/tools/"
rm "$tmp/tools/exercises.txt"
echo "01 one two" >"$tmp/tools/exercises.txt"
# The compiler $tmp/cc is a stub: the program that it writes is a copy of $tmp/tests.
printf '%s\n' 'for program; do :; done' 'cp tests "$program"' >"$tmp/cc"
program "$tmp/bin/nm" :

# tested LAST COMMAND ARGUMENT...: runs `exercise.sh COMMAND 01_y ARGUMENT...`. The last
# of the two tests runs the shell command LAST.
tested() (
    program "$tmp/tests" "echo '[ RUN      ] first'
echo '[       OK ] first'; echo '[ RUN      ] second'
$1 || exit
echo '[       OK ] second'"
    cd "$tmp" && shift && command=$1 && shift && mkdir -p build &&
        echo -fsanitize=address >build/sanitizers &&
        PATH=$tmp/bin:$PATH CC="sh $tmp/cc" FLAGS='' SANITIZED='' LIBS='' \
            ANSWER_LIBS='' ARCHIVES=none.a CU_LIBS=none.a BUILD=build TRUST=1 \
            SECONDS_A_TEST=1 sh tools/exercise.sh "$command" 01_y "$@"
)
must "exercise.sh grades a file" tested true grade one cc
must "grade without a name is refused if there are two exercises" \
    not tested true grade '' cc
# unchanged TEXT [LINES]: true if exercise one is not tested when the file is TEXT. Its
# output has LINES lines (3).
unchanged() {
    mkdir -p "$tmp/work/01" && printf "%b" "$1" >"$tmp/work/01/one.c"
    not tested false exercise one >"$tmp/said" && cat "$tmp/said" &&
        grep -qx "work/01/one.c: still the skeleton; edit this file" "$tmp/said" &&
        [ "$(wc -l <"$tmp/said")" -eq "${2-3}" ]
}
must "a skeleton is not tested" unchanged 'int one; // TODO\n'
must "a skeleton with other comments and blanks is not tested" unchanged \
    '/* my * / try */\r\n  int\n one /**/; // 1\n/* to do'
must "one changed letter is tested" not unchanged 'int One; // TODO\n'
echo '/* Run the tests first. */' >>"$tmp/01_y/exercise/one/one.c"
must "a skeleton whose task begins with the tests is tested" unchanged 'int one;' 10
must "watch ends when all tests pass" eval 'echo "int two = 2;" >"$tmp/work/01/two.c"
    tested true watch two'
must "progress counts a skeleton as not begun" eval 'echo "int one;" >"$tmp/work/01/one.c"
    tested true progress | grep "not begun  E=one"'
must "N selects a hint" eval 'N=1 tested true hint one | grep one'
must "reset keeps the student's file" eval 'cksum <"$tmp/work/01/one.c" >"$tmp/was"
    tested true reset one && cksum <"$tmp/work/01/one.c.1" | cmp - "$tmp/was"'
must "a test that hangs is stopped and counts as failed" eval \
    'tested "while :; do :; done" grade one cc >"$tmp/shown"
    grep "^  FAILED  second$" "$tmp/shown" &&
    grep "^    the function did not return within 1 s of processor time;" "$tmp/shown" &&
    not grep "limit exceeded" "$tmp/shown"'
# run_tests.c sets an alarm, which ends a test that waits.
must "a test that waits is stopped and counts as failed" eval \
    'tested "kill -ALRM \$\$" grade one cc >"$tmp/shown"
    grep "^  FAILED  second$" "$tmp/shown" &&
    grep "^    the function did not return within 4 s;" "$tmp/shown" &&
    not grep "Alarm clock" "$tmp/shown"'
must "endless output is stopped at 1 MB, and 200 lines are shown" eval \
    'tested "while :; do echo flood; echo again; done" grade one cc >"$tmp/shown"
    [ "$(wc -l <"$tmp/shown")" -le 207 ] &&
    grep "lines are left out" "$tmp/shown" && grep "FAILED  second" "$tmp/shown" &&
    grep "stopped after 1 MB of output" "$tmp/shown" &&
    [ "$(wc -c <"$tmp/build/01_y/exercise/one/output")" -le 1100000 ]'
must "an exercise in C does not need the archives of CUDA" not eval \
    'tested true grade one cc; tested true grade one cc 2>&1 | grep none.a'
must "the error for a missing file contains its name" eval 'tested true grade "" none.c \
    2>&1 >"$tmp/out" | grep "FILE=none.c: no such file"'
must "a test that ends the program does not pass" eval \
    'tested "exit 0" grade one cc | grep "^    the program ended in this test$"'
# shellcheck disable=SC2016 # $tmp/tests expands them
must "the environment does not change a test" eval 'CMOCKA_MESSAGE_OUTPUT=XML \
    TEST_ONLY=none OMP_NUM_THREADS=1 tested \
    "[ -z \"\$CMOCKA_MESSAGE_OUTPUT\$TEST_ONLY\$OMP_NUM_THREADS\" ]" grade one cc'
# in_order NUMBER PAGE...: true if exercises.txt has the exercises that the pages name in
# the order of the pages, and the first one first.
in_order() {
    number=$1
    shift
    cat "$@" | grep -o ' E=[a-z0-9_]*' | cut -c 4- | awk -v number="$number" '
        NR == FNR { if (!seen[$0]++) named[n++] = $0; next }
        $1 != number { next }
        {
            for (k = 2; k <= NF; k++)
                place[$k] = k
            for (k = 0; k < n; k++)
                print named[k], place[named[k]]
            wrong = !n || place[named[0]] != 2
            for (k = 1; k < n; k++)
                wrong = wrong || place[named[k]] < place[named[k - 1]]
        }
        END { exit wrong }' - tools/exercises.txt
}
for page in docs/0[1-6]_*.md; do
    number=${page#docs/}
    must "exercises.txt has the order of $page" in_order "${number%%_*}" "$page"
done
must "exercises.txt has the order of docs/07_cuda.md" in_order 07 \
    docs/cuda_in_one_page.md docs/07_cuda.md
must "exercises.txt lists every exercise" test "$(
    sed '/^#/d; s/^.. //' tools/exercises.txt | tr ' ' '\n' | sort)" = \
    "$(for it in 0[1-7]_*/exercise/*/; do basename "$it"; done | sort)"

printf '\n\n    s += x[n];\n' >"$tmp/x.c"
cat >"$tmp/report" <<'END'
before
=================================================================
==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x6 at pc 0x5
READ of size 4 at 0x6 thread T0
    #0 0x5 in dot /home/me/common/matrix.c:12
    #1 0x5 in f /home/me/x.c:3
    #2 0x5 in check /home/me/test_x.c:9

0x6 is located 0 bytes to the right of 8-byte region [0x5,0x6)
allocated by thread T0 here:
    #0 0x7 in malloc
    #1 0x5 in f /home/me/x.c:1

SUMMARY: AddressSanitizer: heap-buffer-overflow x.c:3 in f
==1==ABORTING
after
END
must "mistakes.awk shortens a sanitizer's report to two lines" prints "before
x.c:3: reads beyond the end of an array
    s += x[n];
after" awk -v file=x.c -v text="$tmp/x.c" -f tools/mistakes.awk "$tmp/report"

# --- cu2cpp.sed --------------------------------------------------------------

printf '%s\n' 'a<<<1, 2>>>(x); b<<<n >> 5, c>>>(y);' 'f<int><<<g(a > b), 2,' ' 0>>>' \
    ' (z); h<<<(1), 2>>>(x), k<<<' ' 3, 4>>>(w); // <<<g, b>>> is the grid' >"$tmp/x.cu"
must "cu2cpp.sed translates several launches of a line, and keeps line ends" prints \
    'emu::kernel(a, "a")(1, 2)(x); emu::kernel(b, "b")(n >> 5, c)(y);
emu::kernel(f<int>, "f<int>")(g(a > b), 2,
 0)
 (z); emu::kernel(h, "h")((1), 2)(x), emu::kernel(k, "k")(
 3, 4)(w); // <<<g, b>>> is the grid' \
    sed -E -f tools/emulator/cuda_on_cpu/cu2cpp.sed "$tmp/x.cu"

# --- gpu_arch.sh, for_gpu.sh, run.sh, nvcc.sh, gpu_check.sh. Stubs replace nvidia-smi,
# nvcc and all programs. Card 0 is a Hopper card, and card 1 a T4.

gpu=$tmp/gpu
program "$gpu/nvidia-smi" 'case $* in
    *loop*) echo now, 1500, 6000 && echo $$ >"$0.pid" && exec sleep 60 ;;
    *--id=0*compute_cap*) echo "${CAPABILITY-9.0}" ;;
    *--id=1*compute_cap*) echo 7.5 ;;
    "") echo "| Driver Version: 1   CUDA Version: ${DRIVER:-13.0} |" ;;
    esac'
for version in 11.8 12.5 13.0; do
    program "$gpu/nvcc-$version" "case \$* in
        --version) echo 'tools, release $version, V$version.88' ;;
        --list*) printf 'sm_%s\n' 75 80 90 ;;
        *) echo '[       OK ] 13' ;; esac"
done
ln -s nvcc-13.0 "$gpu/nvcc"
program "$gpu/broken" 'exit 1'
arch() {
    env PATH="$gpu:$PATH" "$@" sh 07_cuda/host/gpu_arch.sh
}
must "the first card determines the architecture" prints sm_90 arch A=
must "CUDA_VISIBLE_DEVICES selects another card" prints sm_75 arch CUDA_VISIBLE_DEVICES=1,0
must "CUDA 12 runs with a driver for CUDA 13" prints sm_90 arch NVCC=nvcc-12.5
while read -r setting reason; do
    must "no GPU: $setting" prints "$reason" arch "$setting"
done <<'END'
CAPABILITY= nvidia-smi finds no GPU, or no driver for it
CUDA_VISIBLE_DEVICES= nvidia-smi finds no GPU, or no driver for it
CAPABILITY=7.0 the GPU has compute capability 7.0; 7.5 or later is needed
CAPABILITY=12.0 nvcc 13.0 cannot compile for sm_120; another CUDA is needed
NVCC=missing missing not found (it needs a GPU and CUDA)
NVCC=broken broken does not run: it prints no version
NVCC=nvcc-11.8 nvcc 11.8 is too old; CUDA 12.0 or later is needed
DRIVER=12.4 the driver is for CUDA 12 and nvcc for CUDA 13.0; update the driver
END
mkdir -p "$tmp/07_cuda" && cp 07_cuda/host/run.sh "$tmp/07_cuda/run"
program "$tmp/07_cuda/gpu/run" 'echo gpu'
program "$tmp/07_cuda/cpu/run" 'echo cpu'
echo sm_90 >"$tmp/07_cuda/gpu/arch"
run_with() {
    env PATH="$gpu:$PATH" "$@" sh "$tmp/07_cuda/run"
}
must "./run uses the GPU that it was built for" prints gpu run_with A=
must "./run uses the CPU if another GPU is the first one" prints \
    'on the CPU: built for sm_90, and this GPU is sm_75; use make
cpu' run_with CUDA_VISIBLE_DEVICES=1
must "./run uses the CPU without a GPU" prints cpu run_with CAPABILITY=
for_gpu() {
    env PATH="$gpu:$PATH" NVCC=nvcc GPU="$tmp/07_cuda/gpu" "$@" sh 07_cuda/host/for_gpu.sh run
}
program "$gpu/builds" 'echo "FAILED  x: not compiled"'
must "make prints the rungs that do not compile" prints "left out: x: not compiled" \
    for_gpu MAKE=builds
must "if nothing can be built, make says why and ./run uses the CPU" eval '
    prints "on the CPU: nvcc does not build it; see $tmp/07_cuda/gpu.log" \
        for_gpu MAKE=false && prints cpu run_with A='
must "without nvidia-smi, make prints nothing" prints "" \
    env PATH=/usr/bin:/bin NVCC=nvcc GPU="$gpu" MAKE=false sh 07_cuda/host/for_gpu.sh run
mkdir -p "$tmp/x_gpu"
echo 'int rung_x(const rung_problem *p)' >"$tmp/x_gpu/rung1_x.cu"
by_nvcc() {
    env "$@" sh 07_cuda/host/nvcc.sh "$tmp/x_gpu/rung1_x.cu" "$tmp/x_gpu/x.o" sh -c "$compiler"
}
compiler='echo "ptxas info : (C7510) Potential Performance Loss: serialized"'
must "a serialised wgmma is an error" eval 'not by_nvcc A= && [ ! -e "$tmp/x_gpu/x.o" ]'
compiler='exit 1'
must "a rung that does not compile is an error" not by_nvcc A=
must "ANYHOW=1 leaves it out with a line" eval '
    prints "FAILED  $tmp/x_gpu/rung1_x.cu: not compiled" by_nvcc ANYHOW=1 &&
    nm "$tmp/x_gpu/x.o" | grep "T rung_x"'

program "$gpu/compute-sanitizer" 'shift 4; "$@" || exit 9'
for stub in make tests/test_ladder tests/test_hopper tests/test_fp8 \
    tests/test_backward_rungs; do
    program "$gpu/$stub" 'echo "[       OK ] 13"'
done
for stub in repeat repeat_2 repeat_3 repeat_4; do
    program "$gpu/bench/$stub" 'echo "4 kernels run once, 0 wrong"'
done
program "$gpu/python3" 'exit 1' # as if PyTorch was not installed
program "$gpu/bench/bench" "sleep 1; printf 'card\tstep\nX-1\tfull\n'"
gpu_check() {
    PATH=$gpu:$PATH MAKE=make NVCC=nvcc GPU=$gpu LIMIT=60 TABLES=$tmp/gpu_out \
        PLOTS=$tmp/gpu_out sh 07_cuda/bench/gpu_check.sh "$tmp/gpu_out" "$@" \
        >"$tmp/said" 2>&1
}
must "gpu-check writes a table whose name is the card's" eval 'gpu_check all &&
    printf "%s\t%s\t%s\t%s\t%s\n" card step driver sm_mhz memory_mhz \
        X-1 full "" 1500 6000 | cmp - "$tmp/gpu_out/x_1.tsv"'
must "gpu-check ends the nvidia-smi that logs the clocks" eval '
    pid=$(cat "$gpu/nvidia-smi.pid") && not kill -0 "$pid" 2>/dev/null'
program "$gpu/tests/test_ladder" 'exit 1'
must "gpu-check prints the name of a failed test and continues" eval '
    not gpu_check contract &&
    grep "FAILED  .*test_ladder" "$tmp/said" && grep "ok .*test_fp8" "$tmp/said"'

must "gpu-check prints that decoding needs Hopper" eval '
    CAPABILITY=8.0 gpu_check table && grep "^decoding: not timed" "$tmp/said"'

program "$gpu/make" 'echo "ptxas info : (C7518) Potential Performance Loss: wgmma"'
must "gpu-check stops if ptxas serialised a wgmma" eval '
    rm -f "$tmp"/gpu_out/*.tsv && not gpu_check table && grep C7518 "$tmp/said" &&
    [ ! -e "$tmp/gpu_out/table.tsv" ]'
program "$gpu/make" :

# ncu's form: three runs of one kernel
program "$gpu/ncu" 'echo "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\""
    for id in 0 1 2; do
        while read -r metric value; do
            echo "\"$id\",\"f<64, 2>(p)\",\"$metric\",\"\",\"$value\""
        done <<END
dram__bytes_read.sum 98,304
dram__bytes_write.sum 1,024
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum 100
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum 1,000
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum 12,345
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum n/a
sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active 4$id.25
END
    done'
program "$gpu/count" 'echo rung,hbm_bytes,sectors,conflicts,wavefronts; echo full,200000,5000,7,12400'
profile() {
    env PATH="$gpu:$PATH" sh 07_cuda/bench/profile.sh "$tmp" "$gpu/count" "$@" \
        >"$tmp/profiled" 2>&1
}
must "profile-07 prints ncu's counters next to the counts" eval '
    MAKE=make NVCC=nvcc profile 7 && prints "rung 7 full: 1 head, 256 queries and keys, d 64
                              counted     profiled
HBM, bytes                     200000        99328
L1 sectors                       5000         1100
shared wavefronts               12400        12345
bank conflicts                      7            -
tensor pipe, % of cycles            -        42.25" tail -n 7 "$tmp/profiled"'
must "profile-07 refuses a rung that does not exist" eval '
    not profile 5 && grep "^profile-07: RUNG=5: no such rung; allowed" "$tmp/profiled"'
program "$gpu/ncu" 'echo ==ERROR== ERR_NVGPUCTRPERM'
must "profile-07 prints an error of ncu" eval '
    not profile 7 && grep ERR_NVGPUCTRPERM "$tmp/profiled"'

# --- colab.ipynb: its cells but "make gpu-check", which writes no table here ---

mkdir -p "$tmp/notebook/docs" "$tmp/project/07_cuda"
echo 'echo set up' >"$tmp/project/setup.sh"
cp "$tmp/project/setup.sh" "$tmp/project/07_cuda"
(cd "$tmp/project" && git init -q && git add . &&
    git -c user.name=x -c user.email=x commit -q -m x) >/dev/null 2>&1
sed 's/!make gpu-check"/!true"/' docs/colab.ipynb >"$tmp/notebook/docs/colab.ipynb"
must "the notebook asks for an address, and needs no picture" eval '
    (cd "$tmp/notebook" && echo "$tmp/project" |
        PATH=$PATH:$gpu python3 "$OLDPWD/tools/docs.py" notebook) >"$tmp/said" 2>&1 &&
    grep "set up$" "$tmp/said" && grep "^No picture: " "$tmp/said"'

# --- Makefile, require.sh -------------------------------------------------------

make=${MAKE:-make}
must "the error for a compiler that does not work contains its name" eval '
    ! "$make" BUILD="$tmp/build" CC=/bin/false tour >"$tmp/said" 2>&1 &&
    grep -q "^CC=/bin/false: cannot build a program (works here: CC=" "$tmp/said"'
for option in -Ofast -ffast-math -ffinite-math-only; do
    must "an option that breaks NaN is refused: $option" eval '
        not "$make" BUILD="$tmp/fast" OPT="-O2 $option" chapter-02 >"$tmp/said" 2>&1 &&
        grep "error: .*-Ofast and -ffast-math break NaN" "$tmp/said"'
done
must "the error for a folder that is not writable contains its name" prints \
    "/dev/null/b: not writable; copy the project to a folder that you own" \
    "$make" BUILD=/dev/null/b tour
# As root: makes a file as root in a project of another user.
if [ "$(id -u)" -eq 0 ]; then
    mkdir -p "$tmp/theirs/build" "$tmp/theirs/work"
    cp -R tools setup.sh "$tmp/theirs/"
    chmod 711 "$tmp" && chown -R 65534 "$tmp/theirs" && echo >"$tmp/theirs/build/flags"
    must "the error after sudo make names the file and the cure" prints \
        "build/flags: belongs to another user (sudo make?); use sudo chown -R $(
            setpriv --reuid=65534 id -un) build work" \
        setpriv --reuid=65534 --clear-groups sh -c \
        'cd "$1" && BUILD=build sh tools/require.sh build/' sh "$tmp/theirs"
    chown 65534 "$tmp/theirs/build/flags"
    must "a folder without another user's files is writable" prints '' \
        setpriv --reuid=65534 --clear-groups sh -c \
        'cd "$1" && BUILD=build sh tools/require.sh build/' sh "$tmp/theirs"
fi
must "bmake stops with one line that names GNU make" eval '
    not bmake >"$tmp/said" 2>&1 && grep "line [0-9]*: GNU make is needed: gmake$" \
        "$tmp/said" && [ "$(wc -l <"$tmp/said")" -eq 1 ]'
must "a make that is too old stops with one line" eval '
    not "$make" .FEATURES= help >"$tmp/said" 2>&1 && grep "is too old; GNU make 3.81" \
        "$tmp/said" && [ "$(wc -l <"$tmp/said")" -eq 1 ]'
cat >"$tmp/glob.c" <<'END'
/* Finds the same names as the C library's glob, in reverse order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glob.h>

int glob(const char *restrict pattern, int flags,
         int (*failed)(const char *, int), glob_t *restrict found)
{
    int (*real)(const char *, int, int (*)(const char *, int), glob_t *);
    int error;
    char *name;

    *(void **)&real = dlsym(RTLD_NEXT, "glob");
    error = real(pattern, flags, failed, found);
    for (size_t i = 0; !error && i < found->gl_pathc / 2; i++) {
        name = found->gl_pathv[i];
        found->gl_pathv[i] = found->gl_pathv[found->gl_pathc - 1 - i];
        found->gl_pathv[found->gl_pathc - 1 - i] = name;
    }
    return error;
}
END
must "a make that does not sort the names of folders prints the same help" eval '
    ${CC:-cc} -shared -fPIC -o "$tmp/glob.so" "$tmp/glob.c" -ldl &&
    LD_PRELOAD="$tmp/glob.so" "$make" -s help >"$tmp/said" &&
    "$make" -s help | diff - "$tmp/said"'
for name in $("$make" -s -f Makefile -f - known <<'END'
known: ; @echo $(KNOWN)
END
); do
    must "the lower-case form of $name is refused" eval '
        name=$(echo "$name" | tr A-Z a-z)
        not "$make" -n "$name=x" exercise-03 >"$tmp/said" 2>&1 &&
            grep "$name: no such variable; use [A-Z_]*=" "$tmp/said"'
done
must "a lower-case name in a variable's value is no variable" eval \
    '"$make" -n BUILD="$tmp/build" ARGS="x e=4" help'
must "make run names the target to use" eval 'not "$make" run >"$tmp/said" 2>&1 &&
    grep -x "make run: no such target; use make chapter-NN && ./run" "$tmp/said"'
must "./run names the target to use before a chapter is built" eval '
    ln -s "$PWD/tools/not_built.sh" "$tmp/run" && not "$tmp/run" >"$tmp/said" 2>&1 &&
    grep "no chapter is built; use make chapter-01" "$tmp/said"'
# announced TARGET: prints how long `make TARGET` takes, as it announces.
announced() {
    "$make" -s "announce-$1" | sed 's/.*: takes //; s/about //; s/ the first time.*//'
}
for target in tour test; do
    must "help and README print the same time of make $target" eval '
        time=$(announced "$target") && [ "$time" ] &&
        "$make" -s help | grep "make $target  .*($time" && tr "\n" " " <README.md |
        grep -E "\((about )?$time( on two cores| the first time)"'
done

# --- setup.sh, tour.sh ----------------------------------------------------------

# on_a_user_system COMMAND...: runs a command with only the programs in $tmp/path. It
# has apt-get and no sudo, and the user is not root.
mkdir "$tmp/path"
for tool in sh cat cut env find grep mktemp printf rm sed sort tr uname; do
    ln -s "$(command -v "$tool")" "$tmp/path/$tool"
done
program "$tmp/path/id" 'echo 1000'
for stub in apt-get mpicc mpirun; do
    program "$tmp/path/$stub" :
done
on_a_user_system() {
    env PATH="$tmp/path" "$@" >"$tmp/said" 2>&1
}
must "without make setup.sh does not suggest make tour" eval '
    not on_a_user_system sh setup.sh && not grep "make tour" "$tmp/said" &&
    grep "^Nothing runs before that: .* C compiler and make" "$tmp/said"'
# shellcheck disable=SC2016 # the stubs expand it
for stub in cc make; do
    program "$tmp/path/$stub" "PATH=$PATH exec $stub "'"$@"'
done
must "with make and a compiler setup.sh suggests make tour" eval '
    not on_a_user_system sh setup.sh && grep "^    make tour$" "$tmp/said"'
must "the error without python3 names the cure" eval '
    not on_a_user_system sh tools/require.sh python3 &&
    grep -x "python3: not found (sh setup.sh installs it)" "$tmp/said" &&
    "$make" -n cuda-check | grep "require.sh python3"'
for stub in g++ pkg-config gnuplot python3; do
    program "$tmp/path/$stub" "PATH=$PATH exec $stub "'"$@"'
done
must "after setup.sh --mpi the next command is make ring" eval '
    on_a_user_system sh setup.sh --mpi && grep -x "next: make ring" "$tmp/said"'
must "what the tour left out is printed before the next command" eval '
    NO_MPI="ring: no MPI" PLOTTED= BUILD="$tmp/none" sh tools/tour.sh >"$tmp/said" 2>&1
    grep -x "ring: no MPI" "$tmp/said" && tail -n 1 "$tmp/said" | grep "^next: "'
program "$tmp/program" 'echo 1..1; echo "not ok 1 - a"; exit 1'
must "what the tests left out is printed before the next command" eval '
    NO_MPI="ring: no MPI" not sh tools/test.sh "$tmp/program" >"$tmp/said" 2>&1
    grep -x "ring: no MPI" "$tmp/said" && tail -n 1 "$tmp/said" | grep "^next: "'

# Windows' git converts files to CRLF by default.
if [ -e .git ]; then
    must "a clone with core.autocrlf has no CRLF" eval '
        git -c safe.directory="*" clone -q -c core.autocrlf=true . "$tmp/crlf" &&
        not grep -rlI "$(printf "\\r")" "$tmp/crlf" --exclude-dir=.git'
fi

for prefix in '' out "/it's" '/a"b' '/a\b' '/a#b'; do
    must "make install refuses PREFIX=$prefix" prints "PREFIX: '$prefix' is not allowed\
 (allowed: an absolute path without quotes, backslashes, \$ and #)" \
        "$make" BUILD="$tmp/build" PREFIX="$prefix" install
done
# shellcheck disable=SC2016 # make expands them
must "the environment does not set make's variables" test "$(
    echo 'given: ; @echo "<$$E$$N$$DIR$$OUT$$FILE$$FORCE$$ONLY>"' |
        env E=e N=n DIR=d OUT=o FILE=f FORCE=1 ONLY=o \
            "$make" -s -f Makefile -f - given DIR=mine
)" = '<mine>'
# make -n prints the recipes. They must not contain the values of variables.
for name in $(sed -n '/^GIVEN =/,/[^\\]$/{s/^GIVEN =//; s/\\$//; p;}' tools/variables.mk); do
    must "the value of $name is not in a recipe" not eval '$make -n \
        BUILD="$tmp/build" "$name='"'; pasted; '"'" exercise-03 hint-03 diff-03 \
        solution-03 grade-03 grade check-class handout gradescope test-03 |
        grep pasted'
done
bell=$(printf '\007')
must "messages print no control characters of an argument" not eval \
    '{ sh tools/wrong.sh 03_online_softmax "$bell"; N=$bell tested true hint one
       sh tools/stepdiff.sh 02 "$bell"; } 2>&1 | grep "$bell"'
must "make exercise-06 finds the compiler's flags for this CPU" eval \
    '$make -n BUILD="$tmp/build" exercise-06 | grep "first_flag.sh -march=native"'

for n in 1 3 5; do
    $make -n BUILD="$tmp/build" "chapter-0$n" >"$tmp/made"
    must "make chapter-0$n compiles its own files, and no files of later chapters" eval \
        'grep "compile. .0${n}_" "$tmp/made" &&
            not grep "compile. .0[$((n + 1))-7]_" "$tmp/made"'
done

must "no line of the help has more than 80 columns" not eval \
    '$make help-all | grep ".\{81\}"'
must "nothing follows a command after next:" not grep -nE \
    'next(: |_step\(")(make|sh|\./|open|cp|tar)[^"\\]*[,;:]( |\\|$)' \
    Makefile tools/*.mk tools/*.sh tools/*/*.mk tools/*/*.sh docs/lab/*.mk \
    0[1-7]_*/*.c 0[1-7]_*/*/*.c 0[1-7]_*/*.mk
# In some locales awk reads and prints a decimal comma.
must "all scripts set LC_ALL or read environment.sh" test -z "$(
    grep -LE '(^|export )LC_ALL=C|^[.] tools/(tally|environment).sh' setup.sh \
        tools/*.sh tools/*/*.sh tools/*/*/*.sh 07_cuda/*/*.sh |
        grep -v -e /test_ -e exercise_lib -e /build.sh -e gradescope -e grade/test/ -e /run.sh -e /flags.sh
)"
finish "fix the failed tests, then sh tools/test_tools.sh"
