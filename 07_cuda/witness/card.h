/* The card that the interpreter is: CARD=t4, ...; without it an H100. */
#pragma once

struct Card {
    const char *name, *title;
    int capability; /* 90: compute capability 9.0 */
    int sms;
    int shared;     /* KiB that a block may have */
    int shared_sm;  /* KiB of a multiprocessor */
    int registers;  /* of a multiprocessor */
    int L2;         /* MiB */
    int threads_sm; /* of a multiprocessor */
};

const Card &card();
