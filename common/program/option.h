/*
 * One option of a command line (options.h).
 */
#ifndef COMMON_OPTION_H
#define COMMON_OPTION_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    FLAG,      /* --causal             no value */
    FILE_NAME, /* --in X.npy           not empty, does not begin with -- */
    SIZE,      /* --n 4096             decimal digits, at least `least` */
    INTEGER,   /* --causal-offset -3   decimal digits, perhaps signed */
    NUMBER,    /* --scale 0.125        decimal, finite in fp32 */
    CHOICE     /* --step flash2        one of `choices`, in full */
} option_type;

typedef struct {
    const char *name; /* without its dashes; NULL ends the table */
    option_type type;
    const char *value;          /* what --help calls its value */
    const char *help;           /* one line */
    size_t least;               /* of a SIZE */
    const char *const *choices; /* of a CHOICE; NULL ends them */
    bool given;                 /* written: it stood on the command line */
    union {                     /* in: the default. out: the value */
        const char *file;
        size_t size;
        long integer;
        float number;
        size_t choice; /* index into choices */
    } /* of the type */;
} option;

#define FLAG_OPTION(name_, help_)                                              \
    {                                                                          \
        .name = name_, .type = FLAG, .help = help_                             \
    }
#define FILE_OPTION(name_, value_, help_)                                      \
    {                                                                          \
        .name = name_, .type = FILE_NAME, .value = value_, .help = help_       \
    }
#define SIZE_OPTION(name_, value_, least_, default_, help_)                    \
    {                                                                          \
        .name = name_, .type = SIZE, .value = value_, .help = help_,           \
        .least = least_, .size = default_                                      \
    }
#define INTEGER_OPTION(name_, value_, default_, help_)                         \
    {                                                                          \
        .name = name_, .type = INTEGER, .value = value_, .help = help_,        \
        .integer = default_                                                    \
    }
#define NUMBER_OPTION(name_, value_, default_, help_)                          \
    {                                                                          \
        .name = name_, .type = NUMBER, .value = value_, .help = help_,         \
        .number = default_                                                     \
    }
#define CHOICE_OPTION(name_, value_, choices_, default_, help_)                \
    {                                                                          \
        .name = name_, .type = CHOICE, .value = value_, .help = help_,         \
        .choices = choices_, .choice = default_                                \
    }

/*
 * Reads text into the option as its type asks. Returns 0, or 2 after one line
 * on stderr that says what the type allows.
 */
int option_read(option *o, const char *text);

/*
 * Says "--name: what is wrong" on stderr and returns 2. For what a table
 * cannot say: options that need or exclude each other.
 */
int option_refuse(const option *o, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

#endif
