/*
 * Replacing files in one step (replace_file.h).
 *
 * A temporary file has a name that nobody had: if one is taken, the next number
 * is tried. So there is nothing to lock and nothing of others to remove. Ctrl-C,
 * kill, a closed terminal or pipe, a limit of time or size each end a program at
 * once, and its temporary files would stay: a handler removes them, and then
 * lets the signal do what it does.
 */
#define _XOPEN_SOURCE 700 /* realpath, SIGXFSZ */

#include "common/npy/replace_file.h"

#include "common/print/outside.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Signals --------------------------------------------------------------- */

static replacement *begun; /* the last one; looked at only while held */
static atomic_flag held = ATOMIC_FLAG_INIT;

/* Until let_go no signal removes a file or ends the program: this thread gets
 * none, and another that gets one waits in the handler. */
static void hold_signals(sigset_t *before)
{
    sigset_t all;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    while (atomic_flag_test_and_set(&held))
        continue;
}

static void let_go(const sigset_t *before)
{
    atomic_flag_clear(&held);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static void remove_and_die(int number)
{
    sigset_t others;

    sigfillset(&others);
    sigdelset(&others, number);
    while (atomic_flag_test_and_set(&held))
        continue;
    for (replacement *r = begun; r; r = r->next)
        unlink(r->temporary);
    signal(number, SIG_DFL);
    raise(number);
    sigsuspend(&others); /* here it comes, and no other */
}

/* Of a signal that is ignored (nohup) or caught already we keep away. Only while
 * held: a handler that is about to die would be called again. */
static void catch_signals(void)
{
    static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                                 SIGTERM, SIGXCPU, SIGXFSZ};
    struct sigaction ours = {.sa_handler = remove_and_die}, was;

    sigfillset(&ours.sa_mask);
    for (size_t k = 0; k < sizeof deadly / sizeof deadly[0]; k++) {
        sigaction(deadly[k], NULL, &was);
        if (was.sa_handler == SIG_DFL)
            sigaction(deadly[k], &ours, NULL);
    }
}

/* --- Replacing ------------------------------------------------------------- */

/* No signal comes between the file and its note. */
static void create_temporary(replacement *r)
{
    sigset_t before;

    hold_signals(&before);
    catch_signals();
    errno = EEXIST;
    for (int k = 0; !r->file && errno == EEXIST; k++) {
        snprintf(r->temporary, sizeof r->temporary, "%s.%d.part", r->target, k);
        r->file = fopen(r->temporary, "wbx"); /* x: fail if it exists */
    }
    if (r->file) {
        r->next = begun;
        begun = r;
    }
    let_go(&before);
}

int replace_begin(replacement *r, const char *path)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    size_t n;

    r->path = path;
    r->file = NULL;
    if (exists && !S_ISREG(old.st_mode))
        return refused(1, path, "cannot write: it is not a regular file");
    if (exists ? access(path, W_OK) != 0 || !realpath(path, r->target)
               : lstat(path, &old) == 0 || errno != ENOENT || !*path)
        return refused(1, path, "cannot write: %s", strerror(errno));
    if (!exists)
        snprintf(r->target, sizeof r->target, "%s", path);
    n = strlen(r->target);
    if (n >= 5 && strcmp(r->target + n - 5, ".part") == 0)
        return refused(
            1, path, "cannot write: names in .part are for files half written");
    create_temporary(r);
    if (!r->file)
        return refused(1, path, "cannot write: %s", strerror(errno));
    if (exists)
        fchmod(fileno(r->file), old.st_mode & 0777);
    return 0;
}

static bool finish(FILE *file)
{
    bool written =
        !ferror(file) && fflush(file) == 0 && fsync(fileno(file)) == 0;

    return fclose(file) == 0 && written;
}

int replace_end(replacement all[], size_t n, int failed)
{
    sigset_t before;

    for (size_t k = 0; k < n; k++)
        if (!finish(all[k].file) && !failed)
            failed =
                refused(1, all[k].path, "cannot write: %s", strerror(errno));
    hold_signals(&before);
    for (size_t k = 0; k < n; k++) {
        replacement **from = &begun;

        if (!failed && rename(all[k].temporary, all[k].target) != 0)
            failed =
                refused(1, all[k].path, "cannot write: %s%s", strerror(errno),
                        k ? " (the file before it is new already)" : "");
        if (failed && unlink(all[k].temporary) != 0)
            refused(1, all[k].temporary, "cannot remove: %s", strerror(errno));
        while (*from != &all[k])
            from = &(*from)->next;
        *from = all[k].next;
    }
    let_go(&before);
    return failed;
}
