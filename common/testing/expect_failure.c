/*
 * A failing test jumps back into CMocka's runner, so the child starts a
 * runner of its own, with its output in a pipe (expect_failure.h).
 */
#include "common/testing/expect_failure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void run_and_exit(void (*test)(void **), void *state, int out)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test, state),
    };

    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    /* What the environment chose was for the outer tests. */
    cmocka_set_test_filter(NULL);
    unsetenv("CMOCKA_MESSAGE_OUTPUT");
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fflush(stdout);
    _exit(failed);
}

bool test_fails(void (*test)(void **), void *state, char output[],
                size_t capacity)
{
    int ends[2], status;
    size_t length = 0;
    char c;

    fflush(stdout); /* or the child would print it again */
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_and_exit(test, state, ends[1]);

    close(ends[1]);
    while (read(ends[0], &c, 1) == 1)
        if (length + 1 < capacity)
            output[length++] = c;
    output[length] = '\0';
    close(ends[0]);

    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status) != 0;
}
