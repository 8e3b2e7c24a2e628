/*
 * Replacing a file in one step (replace_file.h).
 *
 * Ctrl-C, kill, a closed terminal or pipe, a limit of time or size: each ends a
 * program at once, and what it was writing would stay for ever. A handler
 * removes it, and then lets the signal do what it does. Nothing catches kill
 * -9 or a power cut: what these leave is found, and removed, when the same
 * file is written again. It is nobody's if nobody has it locked.
 */
#define _GNU_SOURCE      /* flock, realpath, SIGXFSZ ... */
#define _DARWIN_C_SOURCE /* ... and on macOS */

#include "common/npy/replace_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Temporary files that outlive nobody ----------------------------------- */

enum { MOST = 16 }; /* at once; of more, a signal leaves the rest */

/* Read by the handler at any moment. */
static _Atomic(char *) in_use[MOST];

static void remove_and_die(int number)
{
    for (size_t k = 0; k < MOST; k++) {
        char *name = atomic_load(&in_use[k]);

        if (name)
            unlink(name);
    }
    raise(number); /* for good: SA_RESETHAND has taken us away */
}

/* Of a signal that is ignored (nohup) or caught already we keep away. */
static void catch_signals(void)
{
    static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                                 SIGTERM, SIGXCPU, SIGXFSZ};
    struct sigaction ours = {.sa_flags = (int)SA_RESETHAND}, was;

    ours.sa_handler = remove_and_die;
    sigemptyset(&ours.sa_mask);
    for (size_t k = 0; k < sizeof deadly / sizeof deadly[0]; k++)
        if (sigaction(deadly[k], NULL, &was) == 0 && was.sa_handler == SIG_DFL)
            sigaction(deadly[k], &ours, NULL);
}

/* The first place that holds `was` holds `is` from now on. */
static void note(char *was, char *is)
{
    for (size_t k = 0; k < MOST; k++) {
        char *expected = was;

        if (atomic_compare_exchange_strong(&in_use[k], &expected, is))
            return;
    }
}

/* Locked until it is closed, by whatever closes it. */
static bool lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Is it base.PID.K.part? */
static bool is_temporary(const char *name, const char *base)
{
    size_t n = strlen(base);
    int end = 0;

    if (strncmp(name, base, n) == 0)
        sscanf(name + n, ".%*[0-9].%*[0-9].part%n", &end);
    return end > 0 && name[n + (size_t)end] == '\0';
}

static void remove_left_over(const char *target)
{
    const char *slash = strrchr(target, '/');
    const char *base = slash ? slash + 1 : target;
    char *folder =
        slash ? strndup(target, (size_t)(base - target)) : strdup(".");
    DIR *d = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    int fd;

    while (d && (entry = readdir(d))) {
        if (!is_temporary(entry->d_name, base))
            continue;
        fd =
            openat(dirfd(d), entry->d_name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
        if (fd >= 0 && lock(fd))
            unlinkat(dirfd(d), entry->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (d)
        closedir(d);
    free(folder);
}

/* Noted before there is a file, so that no signal falls in between. Locked, it
 * may be lost: another program has taken it for a leftover just before. */
static FILE *create(char *name)
{
    FILE *file;
    struct stat s;

    note(NULL, name);
    file = fopen(name, "wbx"); /* x: fail if it exists */
    if (file && ((!lock(fileno(file)) && errno == EWOULDBLOCK) ||
                 (fstat(fileno(file), &s) == 0 && s.st_nlink == 0))) {
        fclose(file);
        file = NULL;
        errno = EEXIST;
    }
    if (!file)
        note(name, NULL);
    return file;
}

/* TARGET.PID.K.part, for the first K that nobody has. */
static void create_temporary(replacement *r)
{
    size_t capacity = strlen(r->target) + 40;

    remove_left_over(r->target);
    catch_signals();
    r->temporary = malloc(capacity);
    for (int k = 0; r->temporary && !r->file && k < 100; k++) {
        snprintf(r->temporary, capacity, "%s.%ld.%d.part", r->target,
                 (long)getpid(), k);
        r->file = create(r->temporary);
        if (!r->file && errno != EEXIST)
            break;
    }
}

/* --- Replacing ------------------------------------------------------------- */

static void release(replacement *r)
{
    note(r->temporary, NULL);
    free(r->target);
    free(r->temporary);
}

static int give_up(replacement *r, const char *why)
{
    fprintf(stderr, "%s: cannot write: %s\n", r->path, why);
    release(r);
    return 1;
}

int replace_begin(replacement *r, const char *path)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;

    *r = (replacement){.path = path};
    if (exists && S_ISDIR(old.st_mode))
        return give_up(r, "it is a directory");
    if (exists && !S_ISREG(old.st_mode))
        return give_up(r, "it is not a regular file");
    if (exists && access(path, W_OK) != 0)
        return give_up(r, strerror(errno));
    /* Without this, /dev/stdout itself could be renamed away. */
    r->target = lstat(path, &(struct stat){0}) == 0 ? realpath(path, NULL)
                : errno == ENOENT                   ? strdup(path)
                                                    : NULL;
    if (r->target)
        create_temporary(r);
    if (!r->file)
        return give_up(r, strerror(errno));
    if (exists)
        fchmod(fileno(r->file), old.st_mode & 0777);
    return 0;
}

/* Each returns 0, or errno. */
static int close_all(replacement *r)
{
    bool written = !ferror(r->file);

    written = fclose(r->file) == 0 && written;
    return written ? 0 : errno;
}

static int put_in_place(const replacement *r)
{
    return rename(r->temporary, r->target) == 0 ? 0 : errno;
}

/* Of one that is closed. */
static int remove_temporary(replacement *r)
{
    int failed = unlink(r->temporary) != 0;

    if (failed)
        fprintf(stderr, "%s: cannot remove: %s\n", r->temporary,
                strerror(errno));
    release(r);
    return failed;
}

/* Of one that is closed; why: 0 if it is in its place. */
static int end(replacement *r, int why, const char *besides)
{
    if (why) {
        fprintf(stderr, "%s: cannot write: %s%s\n", r->path, strerror(why),
                besides);
        remove_temporary(r);
        return 1;
    }
    release(r);
    return 0;
}

int replace_end(replacement *r)
{
    int why = close_all(r);

    return end(r, why ? why : put_in_place(r), "");
}

int replace_cancel(replacement *r)
{
    fclose(r->file);
    return remove_temporary(r);
}

int replace_end_both(replacement *a, replacement *b)
{
    int why_a = close_all(a), why_b = close_all(b);

    if (!why_a && !why_b)
        why_a = put_in_place(a);
    if (why_a || why_b) {
        remove_temporary(why_a ? b : a);
        return why_a ? end(a, why_a, "") : end(b, why_b, "");
    }
    release(a);
    return end(b, put_in_place(b), " (the other file is written already)");
}
