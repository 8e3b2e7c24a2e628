#!/bin/sh
# tools/grade/test/hostile.sh TO SECRET: writes hostile submissions to the folder TO:
# NAME.c for merge_parts, NAME.cu for row_max. None of them may earn a point. SECRET is
# the path of the project, which has the solutions. A submission uses the macro GOT for a
# system call that the sandbox must refuse; GOT prints a line if the call succeeds.
# shellcheck disable=SC2016 # the submission's shell expands $HOME
set -eu
to=$1
theirs=03_online_softmax/exercise/merge_parts/solution/merge_parts.c
secret=$2
mkdir -p "$to"

file() {
    name=$1 && shift
    printf '%s\n' "$@" >"$to/$name"
}
# kind NAME BODY [BEFORE]: writes a submission. BODY is the body of merge_parts.
kind() {
    file "$1.c" '#define _GNU_SOURCE' "$(printf '#include <%s.h>\n' stdio stdlib unistd \
        signal string setjmp fcntl pthread time dirent sched sys/mman sys/mount sys/prctl \
        sys/ptrace sys/resource sys/socket sys/stat sys/syscall)" '#include "merge_parts.h"' \
        '#define GOT(x) do { if ((long)(x) >= 0) fputs("GOT\n", stderr); } while (0)' \
        "${3-}" "part merge_parts(part a, part b) { (void)b; $2 return a; }"
}

line='[       OK ] equal_maxima_add_their_sums\n[  PASSED  ] 9 test(s).\n'
kind exits_0 'exit(0);'
kind exits_before_main 'a.l = 7;' '__attribute__((constructor)) static void first(void) { _exit(0); }'
kind never_begins 'a.l = 7;' '__attribute__((constructor)) static void first(void) { for (;;) pause(); }'
kind sleeps_then_takes_memory 'a.l = 7;' '__attribute__((constructor)) static void first(void) { sleep(44); char *p = malloc(1 << 30); if (p) memset(p, 1, 1 << 30); sleep(60); }'
kind exits_after_main 'exit(3);' '__attribute__((destructor)) static void last(void) { _exit(0); }'
kind says_so_to_every_file \
    "for (int f = 0; f < 64; f++) (void)!write(f, \"$line\", sizeof \"$line\" - 1); a.m = 1e9f;"
kind reads_environments 'for (int p = 1; p < 5; p++) { char n[64]; sprintf(n, "/proc/%d/environ", p); FILE *f = fopen(n, "r"); for (int c; f && (c = getc(f)) != EOF;) putc(c ? c : 10, stderr); } exit(0);'
kind stops_itself 'raise(SIGSTOP);'
kind reads_for_ever 'char c; while (read(0, &c, 1) >= 0) ;'
kind forks 'GOT(fork()); for (;;) fork();'
kind takes_memory 'for (;;) { char *p = malloc(1 << 26), *q = sbrk(1 << 24); if (p) memset(p, 1, 1 << 26); if (q != (char *)-1) memset(q, 1, 1 << 24); }'
kind prints_1_gb 'for (int i = 0; i < 1 << 26; i++) puts("more and more and more"); exit(0);'
kind fills_the_disk 'for (int i = 0;; i++) { char n[64]; sprintf(n, "/tmp/f%d", i); FILE *f = fopen(n, "w"); for (int k = 0; f && k < 1000000; k++) fputs("0123456789abcdef", f); if (f) fclose(f); }'
kind writes_outside 'FILE *f = fopen(CANARY, "w"); if (f) { fputs("gone", f); fclose(f); } remove(CANARY);' \
    "#define CANARY \"$to/canary\""
kind deletes '(void)!system("rm -rf /tmp/* $HOME ../* ./* 2>/dev/null");'
kind kills_all 'for (int p = 1; p < 70000; p++) if (p != getpid()) kill(p, SIGALRM); ptrace(PTRACE_ATTACH, getppid(), 0, 0);
    signal(SIGTERM, SIG_IGN); kill(getppid(), SIGKILL); kill(-1, SIGKILL); kill(0, SIGKILL);'
kind jumps 'static jmp_buf j; memset(&j, 1, sizeof j); longjmp(j, 1);'
kind closes_everything 'for (int f = 0; f < 1024; f++) close(f);'
kind ruins_the_stack 'memset(&a, 0, 1 << 20);'
kind ruins_memory 'for (char *p = (char *)&b;; p += 4096) *p = 1;'
kind asks_for_a_ring 'char p[120] = {0}; GOT(syscall(425, 8, p)); GOT(syscall(240, "q", O_CREAT | O_RDWR, 0600, 0)); exit(0);'
kind fills_sockets 'static char z[1 << 20]; for (int i = 0; i < 30; i++) { int s[2]; int got = socketpair(AF_UNIX, SOCK_STREAM, 0, s); GOT(got); if (got) break; fcntl(s[0], F_SETFL, O_NONBLOCK); while (write(s[0], z, sizeof z) > 0) ; }'
kind holds_page_tables 'char *p = mmap(0, 1L << 42, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); for (long i = 0; p != MAP_FAILED && i < 1L << 42; i += 2 << 20) a.m += ((volatile char *)p)[i];'
kind is_root 'GOT(-(long)getuid()); exit(0);'
kind finds_descriptors 'for (int f = 3; f < 4096; f++) GOT(fcntl(f, F_GETFD)); exit(0);'
kind answers_without_end 'static char z[1 << 16] = "a"; for (;;) (void)!write(0, z, sizeof z);'
kind hides_shared_memory 'for (int i = 0; i < 99; i++) { char *p = mmap(0, 1 << 26, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); GOT((long)p); if (p == MAP_FAILED) break; memset(p, 1, 1 << 26); madvise(p, 1 << 26, MADV_DONTNEED); } exit(0);'
kind takes_its_output 'for (int f = 0; f < 3; f++) { GOT(ftruncate(f, 0)); lseek(f, 1L << 40, SEEK_SET); (void)!write(f, "x", 1); } exit(0);'
kind shuts_the_line 'GOT(syscall(SYS_shutdown, 0, 2)); close(0); a.m = 1e30f;'
kind answers_first 'float g[2] = {3, 3.5f}; (void)!write(0, "a", 1); (void)!write(0, g, sizeof g); a.m = 3; a.l = 3.5f;'
kind becomes_itself 'execl("/proc/self/exe", "worker", (char *)0);'
kind asks_for_kernel_memory 'for (int n = 0; n < 470; n++) if (n == SYS_epoll_create1 || n == SYS_eventfd2 || n == SYS_timerfd_create || n == SYS_inotify_init1 || n == SYS_userfaultfd || n == SYS_keyctl || n == SYS_fsopen || n == SYS_memfd_secret) GOT(syscall(n, 0, 0, 0)); exit(0);'
kind leaves_files_where_all_may_write 'const char *all[] = {"/run/lock/left", "/tmp/left", "/dev/shm/left", "/var/tmp/left", "/left"}; for (int i = 0; i < 5; i++) GOT(open(all[i], O_CREAT | O_RDWR, 0666)); exit(0);'
kind prints_what_terminals_obey 'fputs("\302\233 2J \342\200\256 txt \177 \342\201\246\n  ok      two\n[       OK ] two\n", stderr); a.l = 7;'
kind fakes_reports 'for (int i = 0; i < 2700; i++) fprintf(stderr, "merge_parts.c:%d:1: runtime error: x\n\n", 190000 - i); a.l = 7;'
kind recurses 'volatile char big[100000]; big[9] = 1; a = merge_parts(a, b); a.l += big[9];'
kind divides 'volatile int zero = 0; a.m = (float)(1 / zero);'
kind filters_tests 'setenv("TEST_ONLY", "none", 1); setenv("GRADE_SECONDS", "99999", 1);'
kind ignores_signals 'for (int s = 1; s < 64; s++) signal(s, SIG_IGN); for (;;) ;'
kind opens_a_socket 'GOT(socket(AF_INET, SOCK_STREAM, 0)); exit(0);'
kind writes_others_memory 'char n[64], z[4096] = {0}; for (int p = 1; p < 5000; p++) { sprintf(n, "/proc/%d/mem", p); int f = p == getpid() ? -1 : open(n, O_RDWR); GOT(f); if (f >= 0) { lseek(f, 0x400000, 0); (void)!write(f, z, 4096); close(f); } }'
kind writes_others_files 'char n[64]; for (int p = 1; p < 5000; p++) for (int k = 0; k < 6; k++) { sprintf(n, "/proc/%d/fd/%d", p, k); int f = p == getpid() ? -1 : open(n, O_WRONLY); if (f >= 0) { (void)!write(f, "'"$line"'", 60); close(f); } } a.m = 1e9f;'
kind holds_memory_in_files 'static char z[1 << 20]; for (;;) { int f = (int)syscall(SYS_memfd_create, "x", 0); GOT(f); if (f < 0) break; for (int i = 0; i < 63; i++) (void)!write(f, z, sizeof z); }'
kind holds_memory_in_segments 'for (int i = 0; i < 100; i++) { long s = syscall(SYS_shmget, 0, 1 << 28, 0600); GOT(s); char *p = (char *)syscall(SYS_shmat, s, 0, 0); if ((long)p > 0) { memset(p, 1, 1 << 28); syscall(SYS_shmdt, p); } }'
kind holds_memory_in_pipes 'static char z[1 << 20]; for (;;) { int p[2]; int got = pipe(p); GOT(got); if (got) break; fcntl(p[1], F_SETPIPE_SZ, 1 << 20); fcntl(p[1], F_SETFL, O_NONBLOCK); (void)!write(p[1], z, sizeof z); } for (;;) if (!fork()) for (;;) pause();'
kind raises_its_limits 'struct rlimit r = {RLIM_INFINITY, RLIM_INFINITY}; for (int i = 0; i < 16; i++) setrlimit(i, &r); volatile char *p = __builtin_alloca(1L << 31); p[0] = 1; a.l = p[0];'
kind resolves_a_function 'a.l = 7;' 'static void none(void) {}
static void (*pick(void))(void) { kill(getppid(), SIGKILL); _exit(0); return none; }
void chosen(void) __attribute__((ifunc("pick"))); void (*volatile keep)(void) = chosen;'
kind runs_before_anything 'a.m = 3;' 'static void early(int n, char **v, char **e) { (void)n; (void)v; (void)e; for (int f = 0; f < 10; f++) (void)!write(f, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 30); }
__attribute__((section(".preinit_array"), used)) static void (*first)(int, char **, char **) = early;'
kind becomes_a_shell 'execl("/bin/sh", "sh", "-c", "while :; do printf a >&0; done", (char *)0);'
kind vforks 'GOT(syscall(SYS_vfork)); for (;;) if (vfork() == 0) { execl("/bin/sh", "sh", "-c", "sleep 100 & sleep 100 & exec sleep 100", (char *)0); _exit(1); }'
kind makes_threads 'for (pthread_t t; pthread_create(&t, 0, spin, 0) == 0;) ; for (;;) pause();' 'static void *spin(void *x) { for (;;) ; return x; }'
kind sends_half_answers 'for (;;) { (void)!write(0, "a", 1); (void)!write(0, "aaaaaaa", 7); }'
kind asks_and_answers 'for (;;) { (void)!write(0, "qaaaaaaaa", 9); char t[9]; (void)!read(0, t, 9); }'
kind trickles 'for (;;) { sleep(1); (void)!write(0, "q", 1); }'
kind sends_descriptors 'struct msghdr m = {0}; struct iovec v = {"a", 1}; char c[CMSG_SPACE(sizeof(int))] = {0}; m.msg_iov = &v; m.msg_iovlen = 1; m.msg_control = c; m.msg_controllen = sizeof c; struct cmsghdr *h = CMSG_FIRSTHDR(&m); h->cmsg_level = SOL_SOCKET; h->cmsg_type = SCM_RIGHTS; h->cmsg_len = CMSG_LEN(sizeof(int)); for (int i = 0; i < 5000; i++) sendmsg(0, &m, MSG_DONTWAIT);'
kind leaves_files 'mkdir("/tmp/left", 0); mkdir("/tmp/open", 0777); close(open("/tmp/open/x", O_CREAT, 0)); chmod("/tmp/open", 0); mkfifo("/tmp/fifo", 0); mkdir("/dev/shm/left", 0);'
kind hides_its_children 'prctl(PR_SET_CHILD_SUBREAPER, 1); for (int i = 0; i < 10; i++) if (!fork()) { setsid(); prctl(PR_SET_NAME, ") R 1 0 ("); signal(SIGTERM, SIG_IGN); if (!fork()) for (;;) sleep(1); _exit(0); } exit(0);'
kind leaves_a_sleeper 'int child = fork(); GOT(child); if (!child) { for (int f = 0; f < 64; f++) close(f); setsid(); if (!fork()) sleep(300); _exit(0); } return b;'
kind sets_timers 'timer_t t; struct sigevent e = {0}; e.sigev_notify = SIGEV_SIGNAL; e.sigev_signo = SIGALRM; timer_create(CLOCK_MONOTONIC, &e, &t); timer_settime(t, 0, &(struct itimerspec){{0, 1000}, {0, 1000}}, 0); signal(SIGALRM, SIG_IGN); for (;;) pause();'
kind goes_on_after_crashes 'struct sigaction s = {0}; s.sa_handler = go_on; sigaction(SIGSEGV, &s, 0); *(volatile int *)16 = 1;' 'static void go_on(int s) { (void)s; }'
kind has_their_names 'a.l = 7;' 'int main(void) { return 0; } void *malloc(size_t n) { (void)n; _exit(0); }
int fflush(FILE *f) { (void)f; _exit(0); } size_t fread(void *p, size_t s, size_t n, FILE *f) { (void)p; (void)s; (void)f; return n; }
int getc(FILE *f) { (void)f; return 99; } int is_close_or_nan(void); int is_close_or_nan(void) { return 1; }
void assert_close_at(void), _fail(void), hear(void), serve(void); void assert_close_at(void) {} void _fail(void) {} void hear(void) {} void serve(void) {}'
kind has_symbols_in_assembly 'a.l = 7;' '__asm__(".globl main\nmain: ret\n.globl wire_send\nwire_send: ret\n.weak hear\nhear: ret");'
kind draws_on_the_terminal 'fprintf(stderr, "\033]0;x\007\033[2J\r10.0 10 passed\n");'
kind hides_behind_a_thread 'pthread_t t; pthread_create(&t, 0, hog, 0); syscall(SYS_exit, 0);' 'static void *hog(void *x) { (void)x; for (;;) { char *p = sbrk(1 << 24); if (p != (char *)-1) memset(p, 1, 1 << 24); } }'
kind leaves_a_child_behind_a_thread 'if (!fork()) { setsid(); pthread_t t; pthread_create(&t, 0, spin, 0); syscall(SYS_exit, 0); } exit(0);' 'static void *spin(void *x) { (void)x; signal(SIGTERM, SIG_IGN); for (;;) pause(); }'
kind mounts_memory 'int got = unshare(CLONE_NEWUSER | CLONE_NEWNS); GOT(got); if (got) exit(7); mkdir("/tmp/m", 0777); if (mount("none", "/tmp/m", "tmpfs", 0, "size=20g")) exit(8); static char z[1 << 20]; for (int i = 0; i < 200; i++) { char n[64]; sprintf(n, "/tmp/m/f%d", i); int f = open(n, O_CREAT | O_WRONLY, 0600); for (int k = 0; k < 60; k++) (void)!write(f, z, sizeof z); close(f); } pause();'
kind calls_as_32_bits 'static char z[1 << 20]; for (int k = 0; k < 60;k++) { int f; char *name = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0); strcpy(name, "x"); __asm__ volatile("int $0x80" : "=a"(f) : "a"(356), "b"((int)(long)name), "c"(0)); if (f < 0) break; for (int i = 0; i < 63; i++) (void)!write(f, z, sizeof z); } pause();'
kind makes_deep_folders '(void)!chdir("/tmp"); for (;;) { mkdir("d", 0700); (void)!chdir("d"); }'
kind rewrites_what_it_said "fcntl(1, F_SETFL, 0); (void)!ftruncate(1, 0); (void)!pwrite(1, \"10.0 10 passed\\n$line\", 90, 0); fcntl(2, F_SETFL, 0); lseek(2, -100000, SEEK_CUR); for (int i = 0; i < 1000; i++) (void)!write(2, \"10.0 10 passed\\n\", 15); a.m = 3; return a;"
kind takes_its_bytes '' "__asm__(\".incbin \\\"$secret/$theirs\\\"\");"
head -c 190000 /dev/zero | tr '\0' '\n' >>"$to/fakes_reports.c"
file includes_by_path.c "#include \"../../../$theirs\""
file includes_from_the_root.c "#include \"$secret/$theirs\""
file includes_zeros.c '#include "/dev/zero"'
file includes_itself.c '#include __FILE__'
file includes_its_input.c '#include "/dev/stdin"'
for what in environ cmdline mountinfo maps fd/0; do
    file "includes_proc_${what%/*}.c" "#include \"/proc/self/$what\""
done
file includes_proc_1.c '#include "/proc/1/environ"'
file assembler_bomb.c '__asm__(".rept 2000000000; .quad 1; .endr");'
file big_object.c 'static char big[1L << 40] = {1}; char *end = big;'
file macro_bomb.c '#define A(x) x x x x x x x x' 'int bomb = A(A(A(A(A(A(A(A(A(A(A(A(1+)))))))))))) 1;'
file prints_while_compiling.c '#error "[       OK ] equal_maxima_add_their_sums"'
: >"$to/empty.c"
head -c 100000 /dev/zero >"$to/zeros.c"
{ cat "$secret/$theirs" && head -c 300000 /dev/zero | tr '\0' ' '; } >"$to/too_long.c"
rm -f "$to/link.c" "$to/pipe.c"
ln -s "$secret/$theirs" "$to/link.c"
mkfifo "$to/pipe.c"

# cuda NAME BODY [BEFORE]: like kind, but a submission of chapter 07's row_max.
cuda() {
    file "$1.cu" '#include <stdlib.h>' '#include <unistd.h>' '#include <cuda_runtime.h>' \
        '#include "row_max.h"' "${3-}" \
        "__global__ void row_max(const float *x, float *y, int n) { (void)x, (void)n; $2 }"
}
cuda cuda_exits 'exit(0);'
cuda cuda_exits_first 'y[0] = 1;' 'static int first = (_exit(0), 0);'
cuda cuda_throws_first 'y[0] = 1;' '#include <stdexcept>
static int first = (throw std::out_of_range("ok      all"), 0);'
cuda cuda_silences 'y[blockIdx.x] = 3e38f;' \
    'extern "C" size_t cuda_on_cpu_findings(void) { return 0; }'
cuda cuda_in_memory_of_the_host 'if (threadIdx.x == 0) { m[0] = -INFINITY; for (int j = 0; j < n; j++) m[0] = fmaxf(m[0], x[blockIdx.x * n + j]); y[blockIdx.x] = m[0]; }' \
    'static float m[1];'
cuda cuda_has_a_main 'y[blockIdx.x] = 1;' 'int main() { return 0; }'
cuda cuda_loops 'for (volatile int i = 0;; i = i + 1) ;'
file cuda_includes.cu "#include \"$secret/07_cuda/exercise/row_max/solution/row_max.cu\""
