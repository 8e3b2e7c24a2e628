/* flash: runs the steps of all chapters on a user's arrays. docs/library.md */
#include "tools/flash/commands.h"

#include <string.h>

#include "common/print/outside.h"
#include "common/print/report.h"

static void print_steps(const char *kind, const listed_step list[], size_t n)
{
    for (size_t k = 0; k < n; k++)
        printf("%s\t%s\t%s\t%s\n", list[k].name, list[k].chapter, kind,
               list[k].idea);
}

static int steps_command(int argc, char **argv)
{
    listed_step list[MOST_LISTED];

    if (argc > 1)
        return refused(2, argv[1], "flash steps takes no argument");
    print_steps("softmax", list, softmax_steps(list));
    print_steps("attention", list, forward_steps(list, step_type(0)));
    print_steps("backward", list, backward_steps(list));
    return 0;
}

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    puts("flash: the steps of the chapters on your own arrays (.npy files)\n\n"
         "  flash softmax    softmax over the last axis of an array\n"
         "  flash attention  O and L from Q, K and V\n"
         "  flash backward   the gradients of Q, K and V\n"
         "  flash judge      checks your own O, L or gradients\n"
         "  flash sweep      counts, errors and times over many sizes, as CSV\n"
         "  flash precision  errors of softmax or attention, by N and type\n"
         "  flash steps      name, chapter, kind and idea of each step\n\n"
         "Each has its own --help.");
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {
        {"softmax", softmax_command},
        {"attention", attention_command},
        {"backward", backward_command},
        {"judge", judge_command},
        {"sweep", sweep_command},
        {"precision", precision_command},
        {"steps", steps_command},
        {"--help", help},
        {"-h", help},
    };

    if (argc < 2) {
        help(argc, argv);
        return report_end(2);
    }
    for (size_t k = 0; k < sizeof commands / sizeof *commands; k++)
        if (strcmp(argv[1], commands[k].name) == 0)
            return report_end(commands[k].run(argc - 1, argv + 1));
    return refused(2, argv[1],
                   "no such command (allowed: softmax attention backward judge "
                   "sweep precision steps --help)");
}
