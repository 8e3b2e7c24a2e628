/*
 * Tiles of chapters 04 to 06 that end where memory ends: a step that reads or
 * writes one element beyond a tile crashes here. malloc rounds sizes up, so
 * elsewhere such a slip goes unnoticed without a sanitizer.
 */
#define _GNU_SOURCE

#include <string.h>
#include <sys/mman.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "05_flash1/backward/steps.h"
#include "06_flash2/steps.h"
#include "06_flash2/backward/steps.h"
#include "common/testing/gradient_case.h"
#include "common/testing/next_malloc.h"
#include "common/testing/run_tests.h"
#include "common/threads.h"

/* Pages that cannot be touched, out of which malloc takes pieces when told to:
 * behind each piece such a page remains. */
enum { PAGE = 1 << 16 };
static const size_t reserved = (size_t)1 << 30;
static char *pages;
static size_t used;
static bool at_the_edge;

NOT_SANITIZED void *malloc(size_t size)
{
    static void *(*next)(size_t);
    size_t room = (size / PAGE + 1) * PAGE;
    char *at = pages + used;

    if (!next)
        *(void **)&next = NEXT(malloc);
    if (!at_the_edge)
        return next(size);
    used += room + PAGE;
    if (used > reserved || mprotect(at, room, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    return at + room - (size + 15) / 16 * 16; /* aligned as malloc promises */
}

/* Pieces go with the pages. What dlsym itself frees, asked for the next free,
 * is not freed. */
NOT_SANITIZED void free(void *p)
{
    static void (*next)(void *);
    static bool asked;

    if (pages && (char *)p >= pages && (char *)p < pages + reserved)
        return;
    if (!asked) {
        asked = true;
        *(void **)&next = NEXT(free);
    }
    if (next)
        next(p);
}

static void to_the_edge(void)
{
    pages = mmap(NULL, reserved, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(pages != MAP_FAILED);
    used = 0;
    at_the_edge = true;
}

static void and_back(memory *mem)
{
    at_the_edge = false;
    assert_int_equal(mem->error, MEMORY_OK);
    assert_true(used > 0);
    mem->blocks = 0; /* they go with the pages */
    munmap(pages, reserved);
    pages = NULL;
}

/* Each time in other tiles. Before memory ends, a first run leaves OpenMP what
 * it needs for one thread. */
static void check_at_the_edge(attention_subject s, size_t Nq, size_t Nk,
                              size_t d, size_t dv)
{
    for (size_t Br = 4; Br <= 16; Br *= 2)
        for (size_t Bc = 4; Bc <= 16; Bc *= 2) {
            gradient_case c = {.forward = case_of(Nq, Nk, d, dv)};
            head *h = &c.forward.h;
            memory mem;

            case_random(&c.forward, Br + Bc);
            for (size_t j = 0; j < Nk; j++) /* as mla wants it */
                memcpy(v_of(&c.forward, j), k_of(&c.forward, j),
                       dv * sizeof(float));
            h->Br = Br;
            h->Bc = Bc;
            if (s.step)
                check_case(&s, &c.forward);
            else {
                c = gradient_case_of(c.forward);
                check_gradients(&s, &c);
            }
            memory_init(&mem, MEMORY_UNBOUNDED);
            to_the_edge();
            if (s.step)
                s.step->run(h, &mem);
            else
                s.backward->run(&c.g, &mem);
            and_back(&mem);
            if (s.step)
                case_check(&c.forward, &s);
            else
                gradient_check(&c, &s);
            gradient_free(&c);
        }
}

/* Rows come in fours, so that no tile is rounded up; the last ones are ragged.
 * Steps without threads: those of a thread are freed where they are used, and
 * so are those of a kernel's half. The first backward step keeps rows of Nk:
 * there all sizes are fours. */
static void no_step_goes_beyond_a_tile(void **state)
{
    const attention_step *const forward[] = {chapter_04_steps, chapter_05_steps,
                                             chapter_06_steps,
                                             chapter_06_variants};
    const backward_step *const back[] = {chapter_05_backward,
                                         chapter_06_backward};

    use_threads(1);
    for (size_t k = 0; k < 4; k++)
        for (const attention_step *s = forward[k]; s->name; s++)
            if (!s->run_layer || s->run == cascade)
                check_at_the_edge((attention_subject){.step = s}, 27, 41, 5, 3);
    for (size_t k = 0; k < 2; k++)
        for (const backward_step *s = back[k]; s->name; s++)
            check_at_the_edge((attention_subject){.backward = s}, 28, 44, 8, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_step_goes_beyond_a_tile),
    };

    return run_tests("beyond a tile, 04 to 06", tests);
}
