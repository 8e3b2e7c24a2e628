/*
 * What shares little with a chapter's program is one of its own, ROOM/run in
 * the folder of this one: the toy (trace), the gradients (backward), the softmax
 * of files (files). Returns only if this program cannot become it: 1 after one
 * line on stderr.
 */
#ifndef COMMON_BECOME_H
#define COMMON_BECOME_H

int become(const char *room, char **argv);

#endif
