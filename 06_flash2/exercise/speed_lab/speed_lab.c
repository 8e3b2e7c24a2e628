/*
 * Exercise 06: correct but slow, because it computes one query and one key at a
 * time (speed_lab.h). Run the tests first to learn how slow.
 */
#include "speed_lab.h"

#include <math.h>
#include <string.h>

/* TODO: let the compiler compute several steps of a loop at once: 8 with AVX2,
 * 16 with AVX-512. */
void speed_lab(const float *Q, const float *K, const float *V, float *O,
               size_t n, size_t d, float scale)
{
    memset(O, 0, QUERIES_HERE * d * sizeof *O);
    for (size_t i = 0; i < QUERIES_HERE; i++) {
        float m = -INFINITY, l = 0;

        for (size_t j = 0; j < n; j++) {
            float s = 0, m_new, alpha, p;

            for (size_t c = 0; c < d; c++)
                s += Q[i * d + c] * K[j * d + c];
            m_new = fmaxf(m, s * scale);
            alpha = expf(m - m_new);
            p = expf(s * scale - m_new);
            l = alpha * l + p;
            for (size_t c = 0; c < d; c++)
                O[i * d + c] = alpha * O[i * d + c] + p * V[j * d + c];
            m = m_new;
        }
        for (size_t c = 0; c < d; c++)
            O[i * d + c] /= l;
    }
}
