/*
 * `./run --backward` of chapter 06.
 */
#ifndef FLASH2_BACKWARD_PROGRAM_H
#define FLASH2_BACKWARD_PROGRAM_H

#include "common/program/backward_program.h"

extern const backward_chapter flash2_backward_program;

#endif
