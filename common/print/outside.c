#include "common/print/outside.h"

#include "common/print/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool size_from(const char *text, size_t *x)
{
    unsigned long long n;

    errno = 0;
    n = strtoull(text, NULL, 10);
    if (!*text || text[strspn(text, "0123456789")] || errno || n > SIZE_MAX)
        return false;
    *x = (size_t)n;
    return true;
}

/* False if byte c after byte `before` ends a control character. Beyond ASCII
 * this is the byte c2 and a byte below a0. Some terminals also execute the
 * second byte without the first. */
static bool is_harmless(unsigned char c, unsigned char before)
{
    if (c < 0x80)
        return c >= ' ' && c != 0x7f;
    return c >= 0xa0 || before > 0xc2;
}

shown_text shown(const char *text)
{
    shown_text s = {""};
    size_t used = 0;

    for (const char *from = text; *from; from++) {
        unsigned char c = (unsigned char)*from;
        bool as_it_is =
            is_harmless(c, from > text ? (unsigned char)from[-1] : 0);

        if (used + (as_it_is ? 1 : 4) > SHOWN_MAX) {
            strcpy(s.text + used, "...");
            break;
        }
        used += (size_t)sprintf(s.text + used, as_it_is ? "%c" : "\\x%02x", c);
    }
    return s;
}

int refused(int status, const char *name, const char *format, ...)
{
    va_list arguments;

    progress_done();
    va_start(arguments, format);
    fprintf(stderr, "%s: ", shown(name).text);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    return status;
}
