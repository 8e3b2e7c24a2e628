/*
 * mutate FILE: lists what could be changed in a C file, a line each: number,
 * line, what. mutate FILE N: prints the file with change number N made.
 *
 * A change is small enough to be a slip of the hand: another relation, another
 * sign, a constant off by one, a name taken for its neighbour, a condition
 * turned round, a statement left out. It is made on tokens; what does not
 * compile is the compiler's to refuse. Comments, strings and preprocessor lines
 * stay as they are. docs/assurance.md
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 17, MOST_TOKENS = 1 << 15 };

typedef struct {
    size_t from, to; /* bytes of the text */
    size_t line;
} token;

static char text[MOST_BYTES + 1];
static token tokens[MOST_TOKENS];
static size_t bytes, n_tokens, n_changes;
static long wanted = -1; /* the change to make; -1: list them all */

/* --- Tokens --------------------------------------------------------------- */

static size_t skip_quoted(size_t at)
{
    char quote = text[at++];

    while (at < bytes && text[at] != quote)
        at += text[at] == '\\' ? 2 : 1;
    return at + 1;
}

/* Behind a comment, a preprocessor line or a quoted text that begins here. */
static size_t skip_other(size_t at)
{
    if (!strncmp(text + at, "/*", 2))
        return (size_t)(strstr(text + at, "*/") - text) + 2;
    if (!strncmp(text + at, "//", 2))
        return at + strcspn(text + at, "\n");
    if (text[at] == '#') {
        do
            at += strcspn(text + at, "\n") + 1;
        while (at > 1 && at < bytes && text[at - 2] == '\\');
        return at;
    }
    return text[at] == '"' || text[at] == '\'' ? skip_quoted(at) : at;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static size_t end_of_token(size_t at)
{
    static const char *const longer[] = {
        "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
        "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", NULL};
    size_t end = at;

    if (isdigit((unsigned char)text[at])) /* 0x1p-24 is one number */
        while (in_word(text[end]) ||
               (strchr("+-", text[end]) && strchr("pP", text[end - 1])))
            end++;
    else
        while (isalnum((unsigned char)text[end]) || text[end] == '_')
            end++;
    if (end > at)
        return end;
    for (size_t k = 0; longer[k]; k++)
        if (!strncmp(text + at, longer[k], strlen(longer[k])))
            return at + strlen(longer[k]);
    return at + 1;
}

static void split(void)
{
    size_t line = 1, counted = 0;

    for (size_t at = 0; at < bytes && n_tokens < MOST_TOKENS;) {
        size_t next = skip_other(at);

        if (next == at && isspace((unsigned char)text[at]))
            next++;
        if (next > at) {
            at = next;
            continue;
        }
        for (; counted < at; counted++)
            line += text[counted] == '\n';
        next = end_of_token(at);
        tokens[n_tokens++] = (token){at, next, line};
        at = next;
    }
}

static bool is(size_t t, const char *word)
{
    size_t length = strlen(word);

    return t < n_tokens && tokens[t].to - tokens[t].from == length &&
           !strncmp(text + tokens[t].from, word, length);
}

static bool is_one_of(size_t t, const char *const words[])
{
    for (; *words; words++)
        if (is(t, *words))
            return true;
    return false;
}

/* --- Changes -------------------------------------------------------------- */

/* Tokens from .. last become this; the first one names the line. */
static void change(size_t from, size_t last, const char *to)
{
    size_t begin = tokens[from].from, end = tokens[last].to;
    long number = (long)n_changes++;

    if (wanted < 0)
        printf("%ld\t%zu\t%.*s -> %s\n", number, tokens[from].line,
               (int)strcspn(text + begin, "\n") < (int)(end - begin)
                   ? (int)strcspn(text + begin, "\n")
                   : (int)(end - begin),
               text + begin, *to ? to : "(nothing)");
    if (number == wanted)
        printf("%.*s%s%s", (int)begin, text, to, text + end);
}

/* Pairs: the first for the second; and the second for the first, too. */
static const char one_way[] = "< <= < >= <= < <= > > >= > <= >= > >= < "
                              "* + * / % / / * ";
static const char both_ways[] =
    "&& || & | == != + - += -= *= /= ++ -- << >> continue break true false "
    "i j Nq Nk d dv Br Bc br bc i0 j0 K V Q K O Q m l alpha beta rows cols "
    "fmaxf fminf a b read written ";

static void swap_by(size_t t, const char *pairs, bool back)
{
    char first[16], second[16];
    int length = 0;

    for (; sscanf(pairs, "%15s %15s %n", first, second, &length) == 2;
         pairs += length) {
        if (is(t, first))
            change(t, t, second);
        if (back && is(t, second))
            change(t, t, first);
    }
}

static void swap_token(size_t t)
{
    static const char *const either[] = {"-", "*", "&", "+", NULL};
    bool after_value = t > 0 && (in_word(text[tokens[t - 1].to - 1]) ||
                                 is(t - 1, ")") || is(t - 1, "]"));

    if (is_one_of(t, either) && !after_value)
        return; /* a sign, a pointer, an address */
    swap_by(t, one_way, false);
    swap_by(t, both_ways, true);
}

static void shift_constant(size_t t)
{
    char to[80];
    int length = (int)(tokens[t].to - tokens[t].from);

    if (!isdigit((unsigned char)text[tokens[t].from]) || length > 40)
        return;
    for (const char *sign = "+-"; *sign; sign++) {
        snprintf(to, sizeof to, "(%.*s %c 1)", length, text + tokens[t].from,
                 *sign);
        change(t, t, to);
    }
}

/* The token that closes the parenthesis or brace at t. */
static size_t closing(size_t t)
{
    size_t depth = 0;

    for (size_t k = t; k < n_tokens; k++) {
        depth += is(k, "(") || is(k, "{") || is(k, "[");
        depth -= is(k, ")") || is(k, "}") || is(k, "]");
        if (depth == 0)
            return k;
    }
    return t;
}

static void negate(size_t t)
{
    char to[2000];
    size_t end;

    if (!is(t, "if") || !is(t + 1, "("))
        return;
    end = closing(t + 1);
    snprintf(to, sizeof to, "(!%.*s)",
             (int)(tokens[end].to - tokens[t + 1].from),
             text + tokens[t + 1].from);
    change(t + 1, end, to);
}

/* A statement begins behind one, and behind the head of an if or a loop. */
static void leave_out(size_t t)
{
    static size_t inside; /* parentheses: no statement begins there */
    static const char *const before[] = {";", "{", "}", ")", "else", NULL};
    static const char *const not_left_out[] = {
        "if",      "for",    "while", "do",       "else",   "switch",  "case",
        "default", "return", "break", "continue", "static", "typedef", "struct",
        "enum",    "{",      "}",     ";",        ")",      NULL};
    size_t end = t;

    inside += is(t, "(");
    inside -= is(t, ")");
    if (t == 0 || inside || !is_one_of(t - 1, before) ||
        is_one_of(t, not_left_out))
        return;
    while (end < n_tokens && !is(end, ";") && !is(end, "{") && !is(end, ")"))
        end = is(end, "(") || is(end, "[") ? closing(end) + 1 : end + 1;
    if (is(end, ";") && end > t + 1)
        change(t, end, ";");
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;

    if (!file || argc > 3) {
        fprintf(stderr, "mutate: %s\n",
                file ? "usage: mutate FILE [N]" : "no such file");
        return 2;
    }
    bytes = fread(text, 1, MOST_BYTES, file);
    fclose(file);
    wanted = argc > 2 ? strtol(argv[2], NULL, 10) : -1;
    split();
    for (size_t t = 0; t < n_tokens; t++) {
        swap_token(t);
        shift_constant(t);
        negate(t);
        leave_out(t);
    }
    return wanted >= (long)n_changes;
}
