/*
 * Looking at outputs before they are written (outputs.h).
 */
#include "common/program/outputs.h"

#include "common/npy/npy.h"
#include "common/npy/replace_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_one_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The folder that path is in; returns path's name there, or NULL. */
static const char *split(char *path, struct stat *folder)
{
    char *slash = strrchr(path, '/');
    int failed;

    if (!slash)
        return stat(".", folder) == 0 ? path : NULL;
    *slash = '\0';
    failed = stat(slash == path ? "/" : path, folder);
    return failed ? NULL : slash + 1;
}

/* Two files that do not exist yet: are they one name in one folder? */
static bool would_be_same(const char *path_a, const char *path_b)
{
    char *a = strdup(path_a), *b = strdup(path_b);
    struct stat folder_a, folder_b;
    const char *name_a = a ? split(a, &folder_a) : NULL;
    const char *name_b = b ? split(b, &folder_b) : NULL;
    bool same = name_a && name_b && strcmp(name_a, name_b) == 0 &&
                is_one_file(&folder_a, &folder_b);

    free(a);
    free(b);
    return same;
}

static bool is_same(const char *path_a, const char *path_b)
{
    struct stat a, b;
    bool a_exists = stat(path_a, &a) == 0, b_exists = stat(path_b, &b) == 0;

    if (a_exists || b_exists)
        return a_exists && b_exists && is_one_file(&a, &b);
    return would_be_same(path_a, path_b);
}

/* Begun and cancelled, not kept until the end: a program that is killed while
 * it computes leaves nothing. */
static int check_writable(const char *path)
{
    replacement r;

    return replace_begin(&r, path) != 0 || replace_cancel(&r) != 0;
}

int outputs_check(const option files[], size_t inputs, size_t outputs)
{
    for (size_t k = inputs; k < inputs + outputs; k++)
        for (size_t other = 0; other < k; other++)
            if (files[k].file && files[other].file &&
                is_same(files[k].file, files[other].file))
                return option_refuse(&files[k],
                                     "%s is --%s's file (another is needed)",
                                     files[k].file, files[other].name);
    for (size_t k = inputs; k < inputs + outputs; k++)
        if (files[k].file && check_writable(files[k].file) != 0)
            return 1;
    return 0;
}

int outputs_write(const char *out, const npy_array *y, const char *lse,
                  const npy_array *L)
{
    char shape[NPY_SHAPE_MAX];

    if (lse ? npy_write_both(out, y, lse, L) : npy_write(out, y))
        return 1;
    printf("wrote %s %s", out, npy_shape_text(y, shape, sizeof shape));
    if (lse)
        printf(" and %s %s", lse, npy_shape_text(L, shape, sizeof shape));
    puts("");
    return 0;
}
