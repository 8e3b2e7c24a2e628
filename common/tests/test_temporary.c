/*
 * Temporary files are left by nobody: not by a program that a signal ends in
 * the middle of writing, and not for long by one that is killed outright.
 */
#include "common/testing/file_check.h"
#include "common/npy/npy_write.h"
#include "common/npy/replace_file.h"
#include "common/testing/run_tests.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
enum { DEADLY = sizeof deadly / sizeof deadly[0] };

/* Names in this folder that end in .part. */
static size_t parts(void)
{
    struct dirent *entry;
    DIR *d = opendir(".");
    size_t n = 0;

    assert_non_null(d);
    while ((entry = readdir(d))) {
        size_t length = strlen(entry->d_name);

        n += length > 5 && !strcmp(entry->d_name + length - 5, ".part");
    }
    closedir(d);
    return n;
}

/* Half a y, and with it ends. */
static void write_half_and_die(int number)
{
    replacement r;

    if (replace_begin(&r, "y") == 0 && fputs("new", r.file) >= 0 &&
        fflush(r.file) == 0)
        raise(number);
    _exit(3);
}

static void pause_for(unsigned microseconds)
{
    struct timespec t = {.tv_nsec = 1000L * (long)microseconds};

    nanosleep(&t, NULL);
}

static pid_t in_child(void (*work)(int), int number)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        /* nohup(1), or a shell's &, may have had some of them ignored. */
        for (size_t k = 0; k < DEADLY; k++)
            signal(deadly[k], SIG_DFL);
        work(number);
        _exit(4);
    }
    return child;
}

static void assert_died_of(pid_t child, int number)
{
    int status;

    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
}

static void a_signal_removes_what_was_begun_and_ends_all_the_same(void **state)
{
    (void)state;
    put_file("y", "old", 3);
    for (size_t k = 0; k < DEADLY; k++) {
        assert_died_of(in_child(write_half_and_die, deadly[k]), deadly[k]);
        assert_int_equal(parts(), 0);
        assert_file_is("y", "old");
    }
}

static void ignore_and_write(int number)
{
    replacement r;

    signal(number, SIG_IGN);
    if (replace_begin(&r, "y") != 0)
        _exit(1);
    raise(number);
    fputs("new", r.file);
    _exit(replace_end(&r));
}

static void a_signal_that_is_ignored_stays_so(void **state)
{
    int status;

    (void)state;
    pid_t child = in_child(ignore_and_write, SIGHUP);
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_file_is("y", "new");
}

/* Writes the two again and again; an array of a few pages takes its time. */
static void write_until_killed(int unused)
{
    npy_array a;

    (void)unused;
    if (npy_new(&a, 1, (const size_t[]){20000}) != 0)
        _exit(1);
    while (npy_write_both("y", &a, "z", &a) == 0)
        continue;
    _exit(2);
}

/* Whatever it was doing just then. */
static void die_at_some_moment(int number, unsigned microseconds)
{
    pid_t child = in_child(write_until_killed, 0);
    npy_array a;

    while (access("z", F_OK) != 0)
        pause_for(100);
    pause_for(microseconds);
    kill(child, number);
    assert_died_of(child, number);
    assert_int_equal(npy_read("y", &a), 0);
    npy_free(&a);
    assert_int_equal(npy_read("z", &a), 0);
    npy_free(&a);
}

static void no_moment_is_a_bad_one(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 60; k++) {
        die_at_some_moment(deadly[k % DEADLY], 37 * k);
        assert_int_equal(parts(), 0);
        unlink("z");
    }
}

static void after_kill_9_the_next_to_write_removes_what_is_left(void **state)
{
    npy_array a;

    (void)state;
    assert_int_equal(npy_new(&a, 0, NULL), 0);
    for (unsigned k = 0; k < 20; k++) {
        die_at_some_moment(SIGKILL, 37 * k);
        assert_int_equal(npy_write_both("y", &a, "z", &a), 0);
        assert_int_equal(parts(), 0);
        unlink("z");
    }
    assert_died_of(in_child(write_half_and_die, SIGKILL), SIGKILL);
    assert_int_equal(parts(), 1);
    assert_int_equal(npy_write("y", &a), 0);
    npy_free(&a);
}

static void what_is_not_left_over_stays(void **state)
{
    const char *const others[] = {"y.12.part",   "y.1.x.part",   "y.1.2.partx",
                                  "yy.1.2.part", "y.1.2.3.part", "y.1..part",
                                  "y..1.part"};
    enum { OTHERS = sizeof others / sizeof others[0] };
    replacement mine, again;

    (void)state;
    for (size_t k = 0; k < OTHERS; k++)
        put_file(others[k], "", 0);
    put_file("y.999999999.0.part", "", 0);
    assert_int_equal(replace_begin(&mine, "y"), 0);
    assert_int_equal(access("y.999999999.0.part", F_OK), -1);
    assert_int_equal(replace_begin(&again, "./y"), 0);
    assert_int_equal(replace_end(&mine), 0);
    assert_int_equal(replace_cancel(&again), 0);
    for (size_t k = 0; k < OTHERS; k++)
        assert_int_equal(unlink(others[k]), 0);
}

static void begin_and_stop(int unused)
{
    replacement r;

    (void)unused;
    if (replace_begin(&r, "y") == 0 && fputs("from the other", r.file) >= 0)
        raise(SIGSTOP);
    _exit(replace_end(&r));
}

static void what_another_program_is_writing_stays(void **state)
{
    pid_t child = in_child(begin_and_stop, 0);
    replacement r;
    int status;

    (void)state;
    assert_true(waitpid(child, &status, WUNTRACED) == child);
    assert_int_equal(replace_begin(&r, "y"), 0);
    assert_int_equal(parts(), 2);
    assert_int_equal(replace_end(&r), 0);
    kill(child, SIGCONT);
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_file_is("y", "from the other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        in_directory(a_signal_removes_what_was_begun_and_ends_all_the_same),
        in_directory(a_signal_that_is_ignored_stays_so),
        in_directory(no_moment_is_a_bad_one),
        in_directory(after_kill_9_the_next_to_write_removes_what_is_left),
        in_directory(what_is_not_left_over_stays),
        in_directory(what_another_program_is_writing_stays),
    };

    return run_tests("temporary", tests);
}
