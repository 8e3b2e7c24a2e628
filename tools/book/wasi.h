/* Included before each file that is compiled to WebAssembly. Declares what
 * npy_write.c calls and wasi-libc lacks: in the page there are no links and no
 * permissions of files. */
#include <string.h>
#include <sys/stat.h>

static inline int fchmod(int file, mode_t mode)
{
    (void)file, (void)mode;
    return 0;
}

static inline char *realpath(const char *path, char *to)
{
    return strcpy(to, path);
}
