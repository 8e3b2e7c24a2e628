/* The commands of `flash`. Each reads a command line, in which argv[0] is the
 * name of the command, and returns an exit code. */
#ifndef FLASH_COMMANDS_H
#define FLASH_COMMANDS_H

#include "tools/flash/flash_steps.h"
#include "tools/flash/user_problem.h"
#include "06_flash2/variants/block_mask.h"
#include "06_flash2/variants/sink.h"

int softmax_command(int argc, char **argv);
int attention_command(int argc, char **argv);
int backward_command(int argc, char **argv);
int judge_command(int argc, char **argv);
int sweep_command(int argc, char **argv);
int precision_command(int argc, char **argv);

/* --- Functions of several commands (commands.c) --------------------------- */

/* Writes the names of n steps and NULL to names, for a CHOICE_OPTION. */
void names_of(const char *names[MOST_LISTED + 1], const listed_step list[],
              size_t n);

/* Returns the index of the step, which must be in the list. */
size_t step_at(const listed_step list[], size_t n, const char *name);

typedef tile_sizes tiles_rule(const head *h, size_t M);

/* Refuses --br, --bc and --sram if the step does not use them, and --br or --bc
 * without the other. sizes is NULL if the step has no tiles. counted is true if
 * the step's traffic is counted. Returns 0, or 2 after one line on stderr. */
int check_tiles(const option o[], const char *name, tiles_rule *sizes,
                bool counted);

/* Each returns a step that also applies the problem's sinks and block mask. The
 * result may point into *with. If the step does not support the block mask,
 * each sets the problem's status to 2 and returns NULL. */
typedef struct {
    step_with_blocks blocks;
    step_with_sinks sinks;
    backward_step back;
} fitted_step;
const attention_step *fit_forward(fitted_step *with, user_problem *u,
                                  const attention_step *step);
const backward_step *fit_backward(fitted_step *with, user_problem *u,
                                  const backward_step *step);

/* Prints the sizes and M, and which rules, sinks and block mask there are. */
void print_user_problem(const user_problem *u);

/* Prints the name of the step that runs if --step is not given. */
void print_chosen(const char *name);

#endif
