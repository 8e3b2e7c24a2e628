/*
 * Looking at outputs before they are written (outputs.h).
 */
#include "common/program/outputs.h"

#include "common/npy/replace_file.h"
#include "common/print/outside.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The folder that path is in, and its name there. */
static bool place_of(const char *path, struct stat *folder, const char **name)
{
    const char *slash = strrchr(path, '/');
    char at[4200];

    *name = slash ? slash + 1 : path;
    snprintf(at, sizeof at, "%.*s/.", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    return stat(at, folder) == 0;
}

/* One file; or, if neither exists yet, one name in one folder. */
static bool is_same(const char *path_a, const char *path_b)
{
    const char *name_a = "", *name_b = "";
    struct stat a, b;
    bool a_exists = stat(path_a, &a) == 0, b_exists = stat(path_b, &b) == 0;

    if (a_exists != b_exists)
        return false;
    if (!a_exists &&
        !(place_of(path_a, &a, &name_a) && place_of(path_b, &b, &name_b)))
        return false;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
           strcmp(name_a, name_b) == 0;
}

int outputs_check(const option files[], size_t inputs, size_t outputs)
{
    for (size_t k = inputs; k < inputs + outputs; k++)
        for (size_t other = 0; other < k; other++)
            if (files[k].file && files[other].file &&
                is_same(files[k].file, files[other].file))
                return option_refuse(
                    &files[k], "%s is --%s's file (another is needed)",
                    shown(files[k].file).text, files[other].name);
    for (size_t k = inputs; k < inputs + outputs; k++)
        if (files[k].file && replace_files(1, &files[k].file, NULL, NULL) != 0)
            return 1;
    return 0;
}

int outputs_write(const option files[], const npy_array *const arrays[],
                  size_t n)
{
    const char *paths[FILES_TOGETHER] = {NULL};
    const npy_array *of[FILES_TOGETHER] = {NULL};
    size_t given = 0;

    for (size_t k = 0; k < n; k++)
        if (files[k].given) {
            paths[given] = files[k].file;
            of[given++] = arrays[k];
        }
    if (npy_write_all(given, paths, of) != 0)
        return 1;
    for (size_t k = 0; k < given; k++) {
        char shape[NPY_SHAPE_MAX];

        printf("wrote %s %s\n", shown(paths[k]).text,
               npy_shape_text(of[k], shape));
    }
    return 0;
}
