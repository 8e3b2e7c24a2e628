/* wrong: keeps the sum over c innermost, four steps written out */
/* message: a sum waits for the sum before: let the innermost loop run over what does not wait */
#include "speed_lab.h"

#include <math.h>
#include <string.h>

void speed_lab(const float *Q, const float *K, const float *V, float *O,
               size_t n, size_t d, float scale)
{
    memset(O, 0, QUERIES_HERE * d * sizeof *O);
    for (size_t i = 0; i < QUERIES_HERE; i++) {
        float m = -INFINITY, l = 0;

        for (size_t j = 0; j < n; j++) {
            float s = 0, m_new, alpha, p;

            size_t k = 0;

            for (; k + 4 <= d; k += 4) {
                s += Q[i * d + k] * K[j * d + k];
                s += Q[i * d + k + 1] * K[j * d + k + 1];
                s += Q[i * d + k + 2] * K[j * d + k + 2];
                s += Q[i * d + k + 3] * K[j * d + k + 3];
            }
            for (; k < d; k++)
                s += Q[i * d + k] * K[j * d + k];
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
