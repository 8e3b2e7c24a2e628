/*
 * Peers in processes of their own (peer_process.h).
 */
#include "docs/lab/peer_process.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/threads.h"

/* The line that it answers with; says is what follows "ok" or "no". */
static int answer(peer_process *peer)
{
    char line[sizeof peer->says] = "";

    if (fflush(peer->to) || !fgets(line, sizeof line, peer->from)) {
        strcpy(peer->says, "it does not answer");
        return PEER_FAILED;
    }
    line[strcspn(line, "\n")] = '\0';
    strcpy(peer->says, strlen(line) > 3 ? line + 3 : "");
    if (strncmp(line, "ok", 2) == 0)
        return PEER_OK;
    return strncmp(line, "no", 2) == 0 ? PEER_DECLINES : PEER_FAILED;
}

/* In the new process: becomes the peer. */
static void become(int commands, int answers, const char *python,
                   const char *name, const char *threads)
{
    if (dup2(commands, STDIN_FILENO) >= 0 && dup2(answers, STDOUT_FILENO) >= 0)
        execlp(python, python, "docs/lab/peers.py", name, threads,
               (char *)NULL);
    _exit(127);
}

int peer_start(peer_process *peer, const char *python, const char *name)
{
    char threads[24];
    int to[2], from[2], said = PEER_FAILED;

    snprintf(threads, sizeof threads, "%zu", thread_count());
    *peer = (peer_process){.pid = -1};
    signal(SIGPIPE, SIG_IGN); /* writing to one that has ended is an error */
    if (pipe(to))
        return PEER_FAILED;
    if (pipe(from)) {
        close(to[0]);
        close(to[1]);
        return PEER_FAILED;
    }
    /* A peer that is started later must not hold this one's pipes open. */
    for (int i = 0; i < 2; i++) {
        fcntl(to[i], F_SETFD, FD_CLOEXEC);
        fcntl(from[i], F_SETFD, FD_CLOEXEC);
    }
    fflush(stdout);
    peer->pid = fork();
    if (peer->pid == 0)
        become(to[0], from[1], python, name, threads);
    close(to[0]);
    close(from[1]);
    peer->to = fdopen(to[1], "w");
    peer->from = fdopen(from[0], "r");
    if (peer->pid > 0 && peer->to && peer->from)
        said = answer(peer);
    if (said == PEER_FAILED)
        snprintf(peer->says, sizeof peer->says, "%s does not answer", python);
    return said;
}

static size_t size_of(const layer *p)
{
    return p->B * p->Hq * p->each.Nq * p->each.d;
}

int peer_problem(peer_process *peer, const layer *p)
{
    fprintf(peer->to, "problem %zu %zu %zu %zu\n", p->B, p->Hq, p->each.Nq,
            p->each.d);
    fwrite(p->each.Q.hbm.data, sizeof(float), size_of(p), peer->to);
    fwrite(p->each.K.hbm.data, sizeof(float), size_of(p), peer->to);
    fwrite(p->each.V.hbm.data, sizeof(float), size_of(p), peer->to);
    return answer(peer);
}

int peer_backward_problem(peer_process *peer, const backward_layer *b)
{
    const layer *p = &b->forward.problem;
    int failed = peer_problem(peer, p);

    if (failed)
        return failed;
    fprintf(peer->to, "given\n");
    fwrite(b->dO.data, sizeof(float), size_of(p), peer->to);
    return answer(peer);
}

/* It computes; then come the arrays that it answers with. */
static int output(peer_process *peer, const layer *p)
{
    fprintf(peer->to, "output %d\n", p->each.causal);
    return answer(peer);
}

static int take(peer_process *peer, const layer *p, float *to)
{
    if (fread(to, sizeof *to, size_of(p), peer->from) == size_of(p))
        return PEER_OK;
    strcpy(peer->says, "its output is cut short");
    return PEER_FAILED;
}

int peer_output(peer_process *peer, const layer *p)
{
    int failed = output(peer, p);

    return failed ? failed : take(peer, p, p->each.O.hbm.data);
}

int peer_gradients(peer_process *peer, const backward_layer *b)
{
    const layer *p = &b->forward.problem;
    float *const arrays[] = {b->dQ.data, b->dK.data, b->dV.data};
    int failed = output(peer, p);

    for (size_t k = 0; k < 3 && !failed; k++)
        failed = take(peer, p, arrays[k]);
    return failed;
}

int peer_time(peer_process *peer, const layer *p, size_t runs, double *seconds)
{
    int failed;

    fprintf(peer->to, "time %d %zu\n", p->each.causal, runs);
    failed = answer(peer);
    *seconds = strtod(peer->says, NULL);
    if (!failed && !(*seconds > 0 && isfinite(*seconds))) {
        strcpy(peer->says, "its time is not a number above 0");
        return PEER_FAILED;
    }
    return failed;
}

void peer_stop(peer_process *peer)
{
    if (peer->to)
        fclose(peer->to);
    if (peer->from)
        fclose(peer->from);
    if (peer->pid > 0)
        waitpid(peer->pid, NULL, 0);
    *peer = (peer_process){.pid = -1};
}
