/*
 * Prints the data of a picture that is computed from the bundled layer or the
 * toy problem (pictures.h).
 *
 *     build/docs/lab/pictures NAME
 *     build/docs/lab/pictures sentence its    prints a table for the word "its"
 */
#include "docs/lab/pictures.h"

#include <stdio.h>
#include <string.h>

#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/lesson/attention/problem.h"

static const struct {
    const char *name;
    picture *print;
} pictures[] = {
    {"desk", print_desk},   {"halves", print_halves},
    {"loops", print_moves}, {"overflow", print_overflow},
    {"race", print_moves},  {"roads", print_moves},
    {"row", print_row},     {"sentence", print_sentence},
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "",
               *word = argc > 2 ? argv[2] : NULL;
    problem p;
    size_t k = 0;
    int failed;

    while (k < PICTURES && strcmp(name, pictures[k].name) != 0)
        k++;
    if (k == PICTURES || argc > 2 + !strcmp(name, "sentence")) {
        fprintf(stderr, "pictures: '%s': unknown; allowed:",
                argc > 1 ? shown(argv[argc - 1]).text : "");
        for (k = 0; k < PICTURES; k++)
            fprintf(stderr, " %s", pictures[k].name);
        fprintf(stderr, "; sentence may have a word after it\n");
        return 2;
    }
    failed = problem_bundled(&p);
    if (!failed)
        failed = pictures[k].print(&p.layer, word);
    problem_free(&p);
    return report_end(failed);
}
