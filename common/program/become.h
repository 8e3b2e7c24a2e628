/*
 * ROOM/run in the folder of this program takes its place: an option may ask for
 * a program of its own, the toy (trace), the gradients (backward), files
 * (files), another problem (options). Returns only if it cannot: 1 after one
 * line on stderr.
 */
#ifndef COMMON_BECOME_H
#define COMMON_BECOME_H

int become(const char *room, char **argv);

#endif
