/*
 * Temporary files, removed come what may (temporary.h).
 */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */

#include "common/npy/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static void remember(char *name)
{
    for (size_t k = 0; k < MOST; k++) {
        char *nobody = NULL;

        if (atomic_compare_exchange_strong(&in_use[k], &nobody, name))
            return;
    }
}

void temporary_forget(const char *name)
{
    for (size_t k = 0; k < MOST; k++)
        if (atomic_load(&in_use[k]) == name)
            atomic_store(&in_use[k], NULL);
}

/* The part behind the last slash. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_ours(const char *base)
{
    for (size_t k = 0; k < MOST; k++) {
        const char *name = atomic_load(&in_use[k]);

        if (name && strcmp(base_of(name), base) == 0)
            return true;
    }
    return false;
}

/* Is it base.PID.K.part? */
static bool is_temporary(const char *name, const char *base)
{
    if (strncmp(name, base, strlen(base)) != 0)
        return false;
    name += strlen(base);
    for (int numbers = 0; numbers < 2; numbers++) {
        size_t digits = *name == '.' ? strspn(name + 1, "0123456789") : 0;

        if (digits == 0)
            return false;
        name += 1 + digits;
    }
    return strcmp(name, ".part") == 0;
}

/* Locked until it is closed, by whatever closes it. */
static bool lock(int fd)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_SETLK, &all) == 0;
}

static void remove_if_nobodys(int folder, const char *name)
{
    int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0)
        return;
    if (lock(fd))
        unlinkat(folder, name, 0);
    close(fd);
}

static void remove_left_over(const char *target)
{
    const char *base = base_of(target);
    char *folder = strdup(target);
    struct dirent *entry;
    DIR *d = NULL;

    if (folder) {
        folder[base - target] = '\0';
        d = opendir(*folder ? folder : ".");
    }
    while (d && (entry = readdir(d)))
        if (is_temporary(entry->d_name, base) && !is_ours(entry->d_name))
            remove_if_nobodys(dirfd(d), entry->d_name);
    if (d)
        closedir(d);
    free(folder);
}

/* Has another program taken ours for a leftover, before it was locked? */
static bool is_lost(int fd)
{
    struct stat s;

    if (!lock(fd) && (errno == EAGAIN || errno == EACCES))
        return true;
    return fstat(fd, &s) == 0 && s.st_nlink == 0;
}

/* Remembered before there is a file, so that no signal falls in between. */
static FILE *create(char *name)
{
    FILE *file;

    remember(name);
    file = fopen(name, "wbx"); /* x: fail if it exists */
    if (file && is_lost(fileno(file))) {
        fclose(file);
        file = NULL;
        errno = EEXIST;
    }
    if (!file)
        temporary_forget(name);
    return file;
}

FILE *temporary_create(const char *target, char **name)
{
    size_t capacity = strlen(target) + 40;
    FILE *file = NULL;

    remove_left_over(target);
    catch_signals();
    *name = malloc(capacity);
    for (int k = 0; *name && !file && k < 100; k++) {
        snprintf(*name, capacity, "%s.%ld.%d.part", target, (long)getpid(), k);
        if (is_ours(base_of(*name)))
            continue;
        file = create(*name);
        if (!file && errno != EEXIST)
            break;
    }
    return file;
}
