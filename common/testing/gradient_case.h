/*
 * One backward pass as a test builds it, runs it and judges it, against float64
 * of the same inputs. The forward problem is an attention_case, built as for a
 * forward step; what forward kernels leave is float64's, rounded.
 *
 * With t = max(1e-6, max(Nq, Nk) 2^-25) and r of attention_check.h:
 *
 *     dQ   t r max(|dQ|, |scale| max|dP| max|K|)
 *     dK   t r max(|dK|, |scale| max|dP| max|Q|)
 *     dV   2 t r max|dV|
 *
 * where dP is of keys that are attended: dP - D may cancel, and what is lost
 * by that is not to be had back. r also counts for scores that fp32 holds,
 * since L is rounded.
 */
#ifndef COMMON_GRADIENT_CASE_H
#define COMMON_GRADIENT_CASE_H

#include "common/testing/attention_check.h"

typedef struct {
    attention_case forward; /* the problem is forward.h; M, and tile sizes */
    gradients g;            /* g.h is a copy of forward.h, made for each run */
    /* Written by gradient_expect, in float64: what is right, how nearly. */
    double *dQ, *dK, *dV;
    double dQ_tolerance, dK_tolerance, dV_tolerance;
    /* Written by gradient_run: of the last run. */
    counts counts;
    size_t on_chip, scratch, extra;
} gradient_case;

/* Takes the forward case over, and shares its dO. */
gradient_case gradient_case_of(attention_case forward);
void gradient_free(gradient_case *c);

/* Frees all but the forward case. */
void gradient_release(gradient_case *c);

/* The forward pass in float64, rounded; then what is right. dK and dV that are
 * added to (g.add) must hold what they are to begin with. */
void gradient_expect(gradient_case *c);

/* Runs the step on outputs of NaN; fails the running test if it refuses. */
void gradient_run(gradient_case *c, const attention_subject *s);

/* Fails the running test, and says where, unless all is as expected. */
void gradient_check(const gradient_case *c, const attention_subject *s);

/* Expect; run and check with the tiles that the case asks for. */
void check_gradients(const attention_subject *s, gradient_case *c);

/* The same by the kind of step that is asked: gradients, or the forward case. */
void either_expect(gradient_case *c, const attention_subject *s);
void either_run(gradient_case *c, const attention_subject *s);
void either_check(const gradient_case *c, const attention_subject *s);

/* By the kind of step, too: expect; run and check each time, or with tiles of
 * six sizes. */
void check_each(const attention_subject *s, attention_case *c, tiles_fn *next);
void check_tiled(const attention_subject *s, attention_case *c);
void check_either(const attention_subject *s, gradient_case *c);

#endif
