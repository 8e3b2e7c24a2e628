/*
 * `./run --backward` of chapter 05.
 */
#ifndef FLASH1_BACKWARD_PROGRAM_H
#define FLASH1_BACKWARD_PROGRAM_H

#include "common/program/attention_program.h"

extern const way flash1_back;

#endif
