/*
 * `./run --backward` of chapter 06.
 */
#ifndef FLASH2_BACKWARD_PROGRAM_H
#define FLASH2_BACKWARD_PROGRAM_H

#include "common/program/attention_program.h"

extern const way flash2_back;

#endif
