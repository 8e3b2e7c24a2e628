/*
 * Writing .npy files, each in one step (npy.h).
 *
 * A temporary file has a name that nobody had: if one is taken, the next number
 * is tried. So there is nothing to lock and nothing of others to remove.
 */
#define _XOPEN_SOURCE 700 /* realpath, SIGXFSZ */

#include "common/npy/npy.h"

#include "common/print/outside.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- The file -------------------------------------------------------------- */

/* As NumPy writes it: the data begins at a multiple of 64, of at most 256, so
 * that one byte is enough. Errors are for whoever finishes the file. */
static void put_array(FILE *file, const npy_array *array)
{
    char shape[NPY_SHAPE_MAX], text[256];
    int n =
        sprintf(text, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }",
                npy_shape_text(array, shape));
    int width = (n + 10) / 64 * 64 + 64 - 10;

    fprintf(file, "\x93NUMPY%c%c%c%c%*s\n", 1, 0, width, 0, 1 - width, text);
    for (size_t i = 0; i < array->size && !ferror(file); i++) {
        uint32_t bits;

        memcpy(&bits, array->data + i, sizeof bits);
        for (int k = 0; k < 4; k++)
            fputc((unsigned char)(bits >> 8 * k), file);
    }
}

/* --- Signals --------------------------------------------------------------- */

/* Ctrl-C, kill, a closed terminal or pipe, a limit of time or size. */
static const int deadly[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
                             SIGTERM, SIGXCPU, SIGXFSZ};
enum { DEADLY = sizeof deadly / sizeof *deadly };

static struct sigaction before[DEADLY];
static volatile sig_atomic_t came;

static void note(int number)
{
    came = number;
}

/* Whichever thread gets them. Of a signal that is ignored (nohup) or caught
 * already we keep away. */
static void hold_signals(void)
{
    struct sigaction ours = {.sa_handler = note, .sa_flags = SA_RESTART};

    for (size_t k = 0; k < DEADLY; k++) {
        sigaction(deadly[k], NULL, &before[k]);
        if (before[k].sa_handler == SIG_DFL)
            sigaction(deadly[k], &ours, NULL);
    }
}

static void let_go(void)
{
    for (size_t k = 0; k < DEADLY; k++)
        sigaction(deadly[k], &before[k], NULL);
    if (came)
        raise(came);
}

/* --- Replacing ------------------------------------------------------------- */

typedef struct {
    char target[PATH_MAX], temporary[PATH_MAX + 20]; /* where links lead */
    FILE *file;
} replacement;

static int begin(replacement *r, const char *path)
{
    struct stat old;
    bool there = lstat(path, &old) == 0, exists = stat(path, &old) == 0;
    size_t n;

    *r = (replacement){.file = NULL};
    if (exists && !S_ISREG(old.st_mode))
        return refused(1, path, "cannot write: it is not a regular file");
    if (exists ? access(path, W_OK) != 0 || !realpath(path, r->target)
               : there || errno != ENOENT || !*path)
        return refused(1, path, "cannot write: %s", strerror(errno));
    if (!exists)
        snprintf(r->target, sizeof r->target, "%s", path);
    n = strlen(r->target);
    if (n >= 5 && strcmp(r->target + n - 5, ".part") == 0)
        return refused(
            1, path, "cannot write: names in .part are for files half written");
    for (int k = 0; !r->file && (k == 0 || errno == EEXIST); k++) {
        snprintf(r->temporary, sizeof r->temporary, "%s.%d.part", r->target, k);
        r->file = fopen(r->temporary, "wbx"); /* x: fail if it exists */
    }
    if (!r->file)
        return refused(1, path, "cannot write: %s", strerror(errno));
    if (exists)
        fchmod(fileno(r->file), old.st_mode & 0777);
    return 0;
}

static bool finish(FILE *file)
{
    bool full = !ferror(file) && fflush(file) == 0 && fsync(fileno(file)) == 0;

    return fclose(file) == 0 && full;
}

int npy_write_all(size_t n, const char *const paths[],
                  const npy_array *const arrays[])
{
    replacement all[FILES_TOGETHER];
    size_t begun = 0;
    int failed = 0;
    bool keep_old;

    hold_signals();
    while (begun < n && !failed)
        if (!(failed = begin(&all[begun], paths[begun])))
            begun++;
    for (size_t k = 0; k < n && arrays && !failed; k++)
        put_array(all[k].file, arrays[k]);
    for (size_t k = 0; k < begun; k++)
        if (!finish(all[k].file) && arrays && !failed)
            failed = refused(1, paths[k], "cannot write: %s", strerror(errno));
    keep_old = !arrays || came;
    for (size_t k = 0; k < begun; k++) {
        if (!keep_old && !failed &&
            rename(all[k].temporary, all[k].target) != 0)
            failed = refused(1, paths[k], "cannot write: %s%s", strerror(errno),
                             k ? " (the file before it is new already)" : "");
        if ((keep_old || failed) && unlink(all[k].temporary) != 0 && !failed)
            failed = refused(1, all[k].temporary, "cannot remove: %s",
                             strerror(errno));
    }
    let_go();
    return failed;
}
