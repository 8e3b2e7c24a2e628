#!/bin/sh
# tools/grade/test/hostile.sh TO SECRET: writes submissions of merge_parts that want
# points without work, or harm; one a file, TO/KIND.c. None may earn a point.
set -eu
to=$1
secret=$2 # where the solutions are
mkdir -p "$to"

# kind NAME BODY [BEFORE]: BODY is what the function does.
kind() {
    {
        printf '%s\n' '#define _GNU_SOURCE' '#include <stdio.h>' \
            '#include <stdlib.h>' '#include <unistd.h>' '#include <signal.h>' \
            '#include <string.h>' '#include <setjmp.h>' '#include <fcntl.h>' \
            '#include <sys/socket.h>' '#include <sys/ptrace.h>' \
            '#include "merge_parts.h"'
        [ $# -lt 3 ] || printf '%s\n' "$3"
        printf 'part merge_parts(part a, part b)\n{\n    (void)b;\n    %s\n' \
            "$2"
        printf '    return a;\n}\n'
    } >"$to/$1.c"
}

line='[       OK ] equal_maxima_add_their_sums\n[  PASSED  ] 9 test(s).\n'
kind exits_0 'exit(0);'
kind underscore_exits_0 '_exit(0);'
kind exits_before_main 'a.l = 7;' \
    '__attribute__((constructor)) static void first(void) { _exit(0); }'
kind exits_after_main 'exit(3);' \
    '__attribute__((destructor)) static void last(void) { _exit(0); }'
kind says_that_it_passed \
    "printf(\"$line\"); fprintf(stderr, \"$line\"); fflush(0); a.m = 1e9f;"
kind says_so_to_every_file \
    "for (int f = 0; f < 64; f++) (void)!write(f, \"$line\", sizeof \"$line\" - 1); a.m = 1e9f;"
kind loops 'for (volatile int i = 0;; i++) ;'
kind sleeps 'for (;;) pause();'
kind stops_itself 'raise(SIGSTOP);'
kind reads_for_ever 'char c; while (read(3, &c, 1) >= 0) ;'
kind forks 'for (;;) fork();'
kind leaves_children \
    'for (int i = 0; i < 20; i++) if (!fork()) { setsid(); for (;;) pause(); } exit(0);'
kind takes_memory \
    'for (;;) { char *p = malloc(1 << 26); if (p) memset(p, 1, 1 << 26); }'
kind maps_memory 'for (;;) { char *p = sbrk(1 << 24); if (p != (char *)-1) memset(p, 1, 1 << 24); }'
kind prints_1_gb 'for (int i = 0; i < 1 << 26; i++) puts("more and more and more"); exit(0);'
kind fills_the_disk 'for (int i = 0;; i++) { char n[64]; sprintf(n, "/tmp/f%d", i); FILE *f = fopen(n, "w"); for (int k = 0; f && k < 1000000; k++) fputs("0123456789abcdef", f); if (f) fclose(f); }'
kind writes_outside 'FILE *f = fopen(CANARY, "w"); if (f) { fputs("gone", f); fclose(f); } remove(CANARY);' \
    "#define CANARY \"$to/canary\""
# shellcheck disable=SC2016 # for the student's shell
kind deletes '(void)!system("rm -rf /tmp/* $HOME ../* ./* 2>/dev/null");'
kind kills_its_parent 'kill(getppid(), SIGKILL);'
kind kills_its_group 'signal(SIGTERM, SIG_IGN); kill(0, SIGKILL);'
kind kills_all 'kill(-1, SIGKILL);'
kind traces 'ptrace(PTRACE_ATTACH, getppid(), 0, 0); raise(SIGKILL);'
kind jumps 'static jmp_buf j; memset(&j, 1, sizeof j); longjmp(j, 1);'
kind closes_everything 'for (int f = 0; f < 1024; f++) close(f);'
kind ruins_the_stack 'memset(&a, 0, 1 << 20);'
kind ruins_memory 'for (char *p = (char *)&b;; p += 4096) *p = 1;'
kind crashes '*(volatile int *)8 = 1;'
kind recurses 'volatile char big[100000]; big[9] = 1; a = merge_parts(a, b); a.l += big[9];'
kind divides 'volatile int zero = 0; a.m = (float)(1 / zero);'
kind has_a_main 'a.l = 7;' 'int main(void) { return 0; }'
kind has_malloc 'a.l = 7;' 'void *malloc(size_t n) { (void)n; _exit(0); }'
kind has_assert_close 'a.l = 7;' 'void assert_close_at(void); void assert_close_at(void) {}
int is_close_or_nan(void); int is_close_or_nan(void) { return 1; }
void _fail(void); void _fail(void) {} void hear(void); void hear(void) {} void serve(void); void serve(void) {}'
kind sends_answers_itself 'unsigned long long m[3] = {0, 8, 0}; for (int i = 0; i < 99; i++) (void)!write(3, m, 24);'
kind sends_a_huge_answer 'unsigned long long m[2] = {0, ~0ull}; (void)!write(3, m, 16); pause();'
kind asks_questions 'unsigned long long m[3] = {1, 8, 0}; for (;;) if (write(3, m, 24) < 0) exit(0);'
kind filters_tests 'setenv("TEST_ONLY", "none", 1); setenv("GRADE_SECONDS", "99999", 1);'
kind ignores_signals 'for (int s = 1; s < 64; s++) signal(s, SIG_IGN); for (;;) ;'
kind opens_a_socket 'int s = socket(AF_INET, SOCK_STREAM, 0); a.m = (float)s;'
kind includes_the_solution 'return a;' '#define merge_parts theirs'
{
    echo '#include "../../../03_online_softmax/exercise/merge_parts/solution/merge_parts.c"'
} >"$to/includes_by_path.c"
echo "#include \"$secret/03_online_softmax/exercise/merge_parts/solution/merge_parts.c\"" \
    >"$to/includes_from_the_root.c"
kind takes_its_bytes 'return a;' \
    "__asm__(\".incbin \\\"$secret/03_online_softmax/exercise/merge_parts/solution/merge_parts.c\\\"\");"
echo '#include "/dev/zero"' >"$to/includes_zeros.c"
echo '#include __FILE__' >"$to/includes_itself.c"
{
    echo '#define A0 1+1'
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        p=A$((i - 1))
        echo "#define A$i $p $p $p $p $p $p $p $p" | sed 's/A[0-9]* A/&/g'
    done
    echo 'int bomb = A12;'
} >"$to/macro_bomb.c"
echo '#error "[       OK ] equal_maxima_add_their_sums"' >"$to/prints_while_compiling.c"
: >"$to/empty.c"
head -c 100000 /dev/zero >"$to/zeros.c"
head -c 300000 /dev/zero | tr '\0' ' ' >"$to/too_long.c"
rm -f "$to/link.c" "$to/pipe.c"
ln -s "$secret/03_online_softmax/exercise/merge_parts/solution/merge_parts.c" \
    "$to/link.c"
mkfifo "$to/pipe.c"

# In CUDA C, as exercise row_max of chapter 07.
cuda() {
    {
        printf '%s\n' '#include <stdlib.h>' '#include <unistd.h>' \
            '#include <cuda_runtime.h>' '#include "row_max.h"'
        [ $# -lt 3 ] || printf '%s\n' "$3"
        printf '__global__ void row_max(const float *x, float *y, int n)\n'
        printf '{\n    (void)x, (void)n;\n    %s\n}\n' "$2"
    } >"$to/$1.cu"
}
cuda cuda_exits 'exit(0);'
cuda cuda_exits_first 'y[0] = 1;' \
    'static int first = (_exit(0), 0);'
cuda cuda_silences 'y[blockIdx.x] = 3e38f;' \
    'extern "C" size_t cuda_on_cpu_findings(void) { return 0; }'
cuda cuda_has_a_main 'y[blockIdx.x] = 1;' 'int main() { return 0; }'
cuda cuda_loops 'for (volatile int i = 0;; i = i + 1) ;'
echo "#include \"$secret/07_cuda/exercise/row_max/solution/row_max.cu\"" \
    >"$to/cuda_includes.cu"
