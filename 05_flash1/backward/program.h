/*
 * `./run --backward` of chapter 05.
 */
#ifndef FLASH1_BACKWARD_PROGRAM_H
#define FLASH1_BACKWARD_PROGRAM_H

#include "common/program/backward_program.h"

extern const backward_chapter flash1_backward_program;

#endif
