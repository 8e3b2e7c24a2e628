/*
 * The program that `./run --backward` of chapter 06 becomes. docs/backward.md
 */
#include "06_flash2/backward/program.h"

int main(int argc, char **argv)
{
    return backward_program(&flash2_backward_program, argc, argv);
}
