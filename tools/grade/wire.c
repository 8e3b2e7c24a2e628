/*
 * A message over a socket (wire.h).
 */
#include "tools/grade/wire.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "tools/grade/remote.h"

message going, came;

double wire_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void say(const void *x, size_t size)
{
    unsigned char *more;

    if (size == 0)
        return;
    more = realloc(going.data, going.size + size);
    if (!more)
        abort();
    memcpy(more + going.size, x, size);
    going.data = more;
    going.size += size;
}

static bool send_all(int fd, const void *data, size_t size)
{
    const char *at = data;

    while (size > 0) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

bool wire_send(int fd, uint64_t kind)
{
    uint64_t head[] = {kind, going.size};
    bool sent =
        send_all(fd, head, sizeof head) && send_all(fd, going.data, going.size);

    going.size = 0;
    return sent;
}

static bool receive_all(int fd, double deadline, void *data, size_t size)
{
    char *at = data;

    while (size > 0) {
        double left = deadline - wire_now();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t n;

        if (left <= 0 || poll(&p, 1, (int)(1000 * left) + 1) <= 0)
            return false;
        n = recv(fd, at, size, MSG_DONTWAIT);
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

bool wire_receive(int fd, double deadline, uint64_t *kind)
{
    uint64_t head[2];

    free(came.data);
    came = (message){NULL, 0, 0};
    if (!receive_all(fd, deadline, head, sizeof head) || head[1] > MOST_BYTES)
        return false;
    *kind = head[0];
    came.data = malloc(head[1] + 1);
    if (!came.data || !receive_all(fd, deadline, came.data, head[1]))
        return false;
    came.size = head[1];
    return true;
}
