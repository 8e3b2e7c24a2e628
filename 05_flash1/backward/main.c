/*
 * The program that `./run --backward` of chapter 05 becomes. docs/backward.md
 */
#include "05_flash1/backward/program.h"

int main(int argc, char **argv)
{
    return backward_program(&flash1_backward_program, argc, argv);
}
