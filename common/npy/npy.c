/*
 * .npy files (npy.h): a header is believed only when the file's size agrees,
 * and only then is memory taken.
 */
#include "common/npy/npy.h"

#include "common/npy/npy_header.h"
#include "common/npy/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const char *path, const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s%s\n", path, what, detail);
    return 1;
}

/* Zeroed; at least one element, so that NULL means only failure. */
static float *allocate(size_t size)
{
    return calloc(size ? size : 1, sizeof(float));
}

/* From '<f4', four bytes a number, the lowest first, to what this machine has,
 * in place; where it has the same a compiler leaves nothing of it. */
static void from_little_endian(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char b[4];
        uint32_t bits;

        memcpy(b, x + i, 4);
        bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
               (uint32_t)b[3] << 24;
        memcpy(x + i, &bits, 4);
    }
}

static FILE *open_regular(const char *path, uintmax_t *bytes)
{
    /* O_NONBLOCK: a pipe without a writer must be refused, not waited for. */
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    FILE *file = NULL;
    struct stat s;

    if (fd < 0 || fstat(fd, &s) != 0)
        refuse(path, "cannot open: ", strerror(errno));
    else if (S_ISDIR(s.st_mode))
        refuse(path, "is a directory (an .npy file is needed)", "");
    else if (!S_ISREG(s.st_mode))
        refuse(path, "not a regular file (its size must be known first)", "");
    else if (!(file = fdopen(fd, "rb")))
        refuse(path, "cannot open: ", strerror(errno));
    if (file)
        *bytes = (uintmax_t)s.st_size;
    else if (fd >= 0)
        close(fd);
    return file;
}

static int read_array(const char *path, FILE *file, uintmax_t bytes,
                      npy_array *array)
{
    unsigned char header[NPY_HEADER_MAX];
    char reason[NPY_REASON_MAX], shape[NPY_SHAPE_MAX];
    size_t n = fread(header, 1, sizeof(header), file), offset, want;

    if (ferror(file))
        return refuse(path, "cannot read: ", strerror(errno));
    offset = npy_parse_header(header, n, array, reason);
    if (offset == 0)
        return refuse(path, reason, "");

    want = array->size * sizeof(float);
    if (bytes != offset + want) {
        fprintf(stderr, "%s: shape %s needs %zu bytes of data, %s\n", path,
                npy_shape_text(array, shape, sizeof(shape)), want,
                bytes < offset + want ? "the file holds fewer"
                                      : "more bytes follow");
        return 1;
    }

    array->data = allocate(array->size);
    if (!array->data)
        return refuse(path, "no memory for the array", "");
    if (fseek(file, (long)offset, SEEK_SET) != 0 ||
        fread(array->data, sizeof(float), array->size, file) != array->size)
        return refuse(path, "cannot read: ",
                      ferror(file) ? strerror(errno) : "the file shrank");
    from_little_endian(array->data, array->size);
    return 0;
}

int npy_read(const char *path, npy_array *array)
{
    uintmax_t bytes;
    FILE *file = open_regular(path, &bytes);
    int failed;

    *array = (npy_array){0};
    if (!file)
        return 1;
    failed = read_array(path, file, bytes, array);
    fclose(file);
    if (failed)
        npy_free(array);
    return failed;
}

int npy_new(npy_array *array, size_t dims, const size_t *shape)
{
    char text[NPY_SHAPE_MAX];

    *array = (npy_array){0};
    if (dims > NPY_MAX_DIMS) {
        fprintf(stderr, "array: %zu dimensions (at most %d)\n", dims,
                NPY_MAX_DIMS);
        return 1;
    }
    array->dims = dims;
    for (size_t k = 0; k < dims; k++)
        array->shape[k] = shape[k];
    if (npy_size_of(dims, shape, &array->size))
        array->data = allocate(array->size);
    if (array->data)
        return 0;
    refuse("array", "no memory for shape ",
           npy_shape_text(array, text, sizeof(text)));
    npy_free(array);
    return 1;
}

/* As many numbers at a time as a page holds. */
enum { AT_ONCE = 1024 };

static void put_little_endian(FILE *file, const float *x, size_t n)
{
    unsigned char bytes[4 * AT_ONCE];

    for (size_t done = 0; done < n && !ferror(file); done += AT_ONCE) {
        size_t count = n - done < AT_ONCE ? n - done : AT_ONCE;

        for (size_t i = 0; i < count; i++) {
            uint32_t bits;

            memcpy(&bits, x + done + i, 4);
            for (size_t k = 0; k < 4; k++)
                bytes[4 * i + k] = (unsigned char)(bits >> (8 * k) & 0xff);
        }
        fwrite(bytes, 4, count, file);
    }
}

static void put(FILE *file, const npy_array *array)
{
    char header[NPY_WRITTEN_MAX];
    size_t n = npy_format_header(array, header);

    if (fwrite(header, 1, n, file) == n)
        put_little_endian(file, array->data, array->size);
}

int npy_write(const char *path, const npy_array *array)
{
    replacement r;

    if (replace_begin(&r, path) != 0)
        return 1;
    put(r.file, array);
    return replace_end(&r);
}

int npy_write_both(const char *path_a, const npy_array *a, const char *path_b,
                   const npy_array *b)
{
    replacement r, s;

    if (replace_begin(&r, path_a) != 0)
        return 1;
    if (replace_begin(&s, path_b) != 0) {
        replace_cancel(&r);
        return 1;
    }
    put(r.file, a);
    put(s.file, b);
    return replace_end_both(&r, &s);
}

void npy_free(npy_array *array)
{
    free(array->data);
    *array = (npy_array){0};
}
