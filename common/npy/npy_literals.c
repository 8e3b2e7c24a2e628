/*
 * Reading Python literals (npy_literals.h): of Python's many spellings only
 * those that NumPy writes. 0x3, 3L, 1_000, u'descr' and escapes are refused.
 */
#include "common/npy/npy_literals.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool refuse_header(cursor *c, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(c->reason, NPY_REASON_MAX, format, values);
    va_end(values);
    return false;
}

static bool is_one_of(unsigned char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

unsigned char peek(cursor *c)
{
    while (c->next < c->end && is_one_of(*c->next, " \t\n\r\f"))
        c->next++;
    return c->next < c->end ? *c->next : '\0';
}

bool accept(cursor *c, unsigned char symbol)
{
    if (peek(c) != symbol)
        return false;
    c->next++;
    return true;
}

bool expect(cursor *c, unsigned char symbol)
{
    return accept(c, symbol) ||
           refuse_header(c, "malformed header: expected %c at byte %zu", symbol,
                         (size_t)(c->next - c->file));
}

bool read_string(cursor *c, slice *s)
{
    unsigned char quote = peek(c) == '"' ? '"' : '\'';

    if (!expect(c, quote))
        return false;
    s->text = c->next;
    while (c->next < c->end && !is_one_of(*c->next, "'\"\\\n\r"))
        c->next++;
    s->length = (size_t)(c->next - s->text);
    if (c->next == c->end || *c->next != quote)
        return refuse_header(c,
                             "malformed header: no end to the string at "
                             "byte %zu",
                             (size_t)(s->text - c->file));
    c->next++;
    return true;
}

slice read_word(cursor *c)
{
    slice s;

    peek(c);
    s.text = c->next;
    while (c->next < c->end && !is_one_of(*c->next, " \t\n\r\f,:'\"(){}[]"))
        c->next++;
    s.length = (size_t)(c->next - s.text);
    return s;
}

bool read_size(cursor *c, slice word, size_t *size)
{
    char text[NPY_SHOWN_MAX];
    bool decimal = word.length == 1 || (word.length > 1 && *word.text != '0');

    *size = 0;
    for (size_t i = 0; i < word.length; i++)
        decimal = decimal && word.text[i] >= '0' && word.text[i] <= '9';
    if (!decimal)
        return refuse_header(c,
                             "shape holds '%s' (dimensions are decimal "
                             "integers, 0 or more)",
                             shown(word, text));

    for (size_t i = 0; i < word.length; i++) {
        size_t digit = (size_t)(word.text[i] - '0');

        if (*size > (SIZE_MAX - digit) / 10)
            return refuse_header(c, "dimension %s is too large",
                                 shown(word, text));
        *size = *size * 10 + digit;
    }
    return true;
}

bool equals(slice s, const char *word)
{
    return s.length == strlen(word) && memcmp(s.text, word, s.length) == 0;
}

const char *shown(slice s, char text[NPY_SHOWN_MAX])
{
    size_t n = s.length < 40 ? s.length : 40;

    for (size_t i = 0; i < n; i++)
        text[i] = s.text[i] >= ' ' && s.text[i] <= '~' ? (char)s.text[i] : '?';
    strcpy(text + n, n < s.length ? "..." : "");
    return text;
}
