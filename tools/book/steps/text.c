/*
 * Formatting, exactly (text.h).
 */
#include "tools/book/steps/text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

text text_in(char *at, size_t size)
{
    at[0] = '\0';
    return (text){at, size, 0, 0};
}

static void add(text *t, const char *piece, size_t length)
{
    if (length >= t->size - t->used) {
        t->full = 1;
        return;
    }
    memcpy(t->at + t->used, piece, length);
    t->used += length;
    t->at[t->used] = '\0';
}

static void add_string(text *t, const char *s)
{
    add(t, s, strlen(s));
}

/* At least `least` digits; grouped: a comma before every three. */
static void add_digits(text *t, uint64_t n, int least, int grouped)
{
    char digits[40], *first = digits + sizeof digits;
    int written = 0;

    while (n > 0 || written < least) {
        if (grouped && written > 0 && written % 3 == 0)
            *--first = ',';
        *--first = (char)('0' + n % 10);
        n /= 10;
        written++;
    }
    add(t, first, (size_t)(digits + sizeof digits - first));
}

/* fraction * 2^exponent to the nearest integer, ties to even. */
static uint64_t nearest(uint64_t fraction, int exponent)
{
    uint64_t down, rest, half;

    if (exponent >= 0)
        return fraction << exponent;
    if (exponent < -63)
        return 0;
    down = fraction >> -exponent;
    rest = fraction - (down << -exponent);
    half = (uint64_t)1 << (-exponent - 1);
    return down + (rest > half || (rest == half && down % 2 == 1));
}

static void add_fixed(text *t, float x, int digits)
{
    uint64_t scale = 1, scaled;
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    if (isnan(x)) {
        add_string(t, "nan");
        return;
    }
    if (bits >> 31)
        add_string(t, "-");
    if (isinf(x) || fabsf(x) > 0x1p40f) {
        add_string(t, isinf(x) ? "inf" : "huge");
        return;
    }
    for (int k = 0; k < digits; k++)
        scale *= 10;
    if ((bits >> 23 & 0xff) == 0) /* below 2^-126: 0 in 5 digits */
        scaled = 0;
    else
        scaled = nearest(((bits & 0x7fffff) | 0x800000) * scale,
                         (int)(bits >> 23 & 0xff) - 150);
    add_digits(t, scaled / scale, 1, 0);
    if (digits > 0) {
        add_string(t, ".");
        add_digits(t, scaled % scale, digits, 0);
    }
}

void text_add_list(text *t, const char *format, va_list list)
{
    for (const char *f = format; *f; f++) {
        if (*f != '%') {
            add(t, f, 1);
        } else if (f[1] == 's') {
            add_string(t, va_arg(list, const char *));
            f += 1;
        } else if (f[1] == 'z') {
            add_digits(t, va_arg(list, size_t), 1, 0);
            f += 2;
        } else if (f[1] == '\'') {
            add_digits(t, va_arg(list, size_t), 1, 1);
            f += 3;
        } else if (f[1] == '.') {
            add_fixed(t, (float)va_arg(list, double), f[2] - '0');
            f += 3;
        } else {
            add(t, "%", 1);
            f += 1;
        }
    }
}

void text_add(text *t, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_add_list(t, format, list);
    va_end(list);
}
