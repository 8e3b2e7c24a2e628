/*
 * The worker: holds a submission, and calls it as often as the judge asks
 * (remote.h). What it does or prints otherwise is of no account.
 */
#include <unistd.h>

#include "tools/grade/remote.h"

void wire_is_cut(void)
{
    _exit(0);
}

void question(void)
{
    if (!wire_send(QUESTION) || wire_letter() < 0)
        _exit(0);
}

int main(void)
{
    wire_open(3); /* what the judge left it */
    while (wire_letter() == CALL) {
        serve();
        if (!wire_send(ANSWER))
            break;
    }
    _exit(0);
}
