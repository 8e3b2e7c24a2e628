/*
 * A paragraph with computed numbers in it, whose lines are broken for it.
 */
#ifndef COMMON_PROSE_H
#define COMMON_PROSE_H

/*
 * Prints the text, as printf forms it, in lines of at most 79 characters
 * broken at blanks. At most 2000 characters; the rest is lost.
 */
void prose(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
