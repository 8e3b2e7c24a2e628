
/* attention.h: for a file without a main: calls what it is given with q, k, v and
 * o, and judges o in float64. cuda-check appends it. Page: docs/cuda_check.md. */
#include <vector>

namespace emu
{
struct Numbers { /* converts to whatever pointer is asked for */
    std::vector<float> host;
    const char *name;
    void *device = nullptr;
    int bytes = 0; /* of one */
    bool bf16 = false;

    template <class T> operator T *()
    {
        typedef typename std::remove_const<T>::type E;
        std::vector<E> v(host.size());
        if (device)
            return (T *)device;
        for (size_t i = 0; i < v.size(); i++)
            v[i] = (E)host[i];
        bytes = sizeof(E);
        bf16 = std::is_same<E, __nv_bfloat16>::value;
        allocate(&device, v.size() * sizeof(E), Site::here(), name);
        cudaMemcpy(device, v.data(), v.size() * sizeof(E),
                   cudaMemcpyHostToDevice);
        return (T *)device;
    }
    float at(const std::vector<char> &raw, size_t i) const
    {
        if (bytes == 4)
            return ((const float *)raw.data())[i];
        uint16_t h = ((const uint16_t *)raw.data())[i];
        return bf16 ? from_bf16(h) : from_fp16(h);
    }
    double tolerance() const
    {
        return bytes == 4 ? 1e-5 : bf16 ? 2e-2 : 4e-3;
    }
};

/* What else a kernel wants: n numbers, all the same. */
static Numbers full(size_t n, float x)
{
    return {std::vector<float>(n, x), "scratch"};
}
static Numbers zeros(size_t n)
{
    return full(n, 0);
}

struct Attention {
    int B, H, N, d, causal;
    Numbers q, k, v, o;

    Attention(int b, int h, int n, int d_, int c)
        : B(b), H(h), N(n), d(d_),
          causal(c), q{{}, "q"}, k{{}, "k"}, v{{}, "v"}, o{{}, "o"}
    {
        unsigned seed = 1;
        for (Numbers *x : {&q, &k, &v})
            for (int i = 0; i < B * H * N * d; i++) {
                seed = seed * 1664525u + 1013904223u;
                /* exact in 16 bits */
                x->host.push_back((float)(seed >> 24) / 64 - 2);
            }
        o.host.assign(q.host.size(), 0);
    }

    /* Row i of head h in float64. */
    std::vector<double> row(size_t h, int i, double scale) const
    {
        const float *Q = &q.host[(h * N + i) * d], *K = &k.host[h * N * d];
        const float *V = &v.host[h * N * d];
        int seen = causal ? i + 1 : N;
        std::vector<double> s(seen), O(d);
        double m = -INFINITY, l = 0;
        for (int j = 0; j < seen; j++) {
            for (int c = 0; c < d; c++)
                s[j] += (double)Q[c] * K[j * d + c];
            m = fmax(m, s[j] *= scale);
        }
        for (int j = 0; j < seen; j++) {
            l += s[j] = exp(s[j] - m);
            for (int c = 0; c < d; c++)
                O[c] += s[j] * V[j * d + c];
        }
        for (double &x : O)
            x /= l;
        return O;
    }

    /* The largest error against max |V|, and the first row that is off. */
    int judge(double scale) const
    {
        double worst = 0;
        long wrong = 0, first = -1, rows = (long)B * H * N;
        std::vector<char> raw(o.host.size() * o.bytes);
        if (!o.device) {
            fprintf(stderr, "--attention: the call does not take o\n");
            return 62;
        }
        if (cudaMemcpy(raw.data(), o.device, raw.size(),
                       cudaMemcpyDeviceToHost) != cudaSuccess)
            return 1;
        for (long r = 0; r < rows; r++) {
            std::vector<double> want = row(r / N, r % N, scale);
            double off = 0;
            for (int c = 0; c < d; c++) {
                double e = fabs(o.at(raw, r * d + c) - want[c]) / 2;
                off = e >= 0 ? fmax(off, e) : INFINITY; /* NaN */
            }
            worst = fmax(worst, off);
            if (off > o.tolerance()) {
                first = wrong ? first : r;
                wrong++;
            }
        }
        printf("o: error %.2g of max |V| (at most %g)\n", worst, o.tolerance());
        if (wrong)
            printf("o: %ld of %ld rows are wrong, the first is row %ld of head "
                   "%ld\n",
                   wrong, rows, first % N, first / N);
        return wrong != 0;
    }
};
} // namespace emu

using emu::full;
using emu::zeros;

#define EMU_ATTENTION(b, h, n, d_, causal)                                     \
    static void emu_call(emu::Numbers &q, emu::Numbers &k, emu::Numbers &v,    \
                         emu::Numbers &o, int B, int H, int N, int d,          \
                         float scale);                                         \
    int main()                                                                 \
    {                                                                          \
        emu::Attention a(b, h, n, d_, causal);                                 \
        double scale = 1 / sqrt((double)a.d);                                  \
        emu_call(a.q, a.k, a.v, a.o, a.B, a.H, a.N, a.d, (float)scale);        \
        return a.judge(scale);                                                 \
    }                                                                          \
    static void emu_call(emu::Numbers &q, emu::Numbers &k, emu::Numbers &v,    \
                         emu::Numbers &o, int B, int H, int N, int d,          \
                         float scale)
