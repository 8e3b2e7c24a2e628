/*
 * The commands of `flash`. Each reads its own command line, argv[0] being the
 * command's name, and returns an exit code.
 */
#ifndef FLASH_COMMANDS_H
#define FLASH_COMMANDS_H

#include "06_flash2/flash/flash_steps.h"
#include "06_flash2/flash/user_problem.h"
#include "06_flash2/variants/sink.h"

int softmax_command(int argc, char **argv);
int attention_command(int argc, char **argv);
int backward_command(int argc, char **argv);
int judge_command(int argc, char **argv);
int sweep_command(int argc, char **argv);

/* --- What they share (commands.c) ------------------------------------------- */

/* The names of n steps, for a choice; NULL ends them. */
void names_of(const char *names[MOST_LISTED + 1], const listed_step list[],
              size_t n);

/* The index of the step of that name, which must be there. */
size_t step_at(const listed_step list[], size_t n, const char *name);

/*
 * Refuses tile sizes and --sram that the step has no use for. Returns 0, or 2
 * after one line on stderr.
 */
int check_tiles(const option o[], const attention_step *step);

/* Return the step, or the step with the problem's sinks. The result points into
 * *with. */
const attention_step *fit_forward(step_with_sinks *with, const problem *p,
                                  const attention_step *step);

typedef struct {
    attention_step step;
    step_with_sinks forward;
} fitted_backward;
const attention_step *fit_backward(fitted_backward *with, const problem *p,
                                   const attention_step *step);

/* Prints the problem's sizes, and the rules that come in a file. */
void print_user_problem(const user_problem *u);

/* Prints "step: NAME" for a step that was not chosen by --step. */
void print_chosen(const attention_step *step);

#endif
