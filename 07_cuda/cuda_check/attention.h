/* attention.h: for a file without a main: calls what it is given with q, k, v and
 * o, of files, and leaves o in one. cuda-check appends it, and asks ./run --judge
 * about that file. Page: docs/cuda_check.md. */
#include <stdio.h>

#include <string>
#include <vector>

namespace emu
{
struct Numbers { /* converts to whatever pointer is asked for */
    std::vector<float> host;
    const char *name;
    void *device = nullptr;
    const char *type = nullptr;
    void (*copy_back)(Numbers &) = nullptr;

    template <class T> operator T *()
    {
        typedef typename std::remove_const<T>::type E;
        if (device)
            return (T *)device;
        std::vector<E> v(host.size());
        for (size_t i = 0; i < v.size(); i++)
            v[i] = (E)host[i];
        type = std::is_same<E, __nv_bfloat16>::value ? "bf16" : "fp16";
        if (sizeof(E) == 4)
            type = "fp32";
        copy_back = &Numbers::back_from<E>;
        allocate(&device, v.size() * sizeof(E), Site::here(), name);
        cudaMemcpy(device, v.data(), v.size() * sizeof(E),
                   cudaMemcpyHostToDevice);
        return (T *)device;
    }
    template <class E> static void back_from(Numbers &x)
    {
        std::vector<E> v(x.host.size());
        cudaMemcpy(v.data(), x.device, v.size() * sizeof(E),
                   cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < v.size(); i++)
            x.host[i] = (float)v[i];
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

static FILE *opened(const char *folder, const char *name, const char *how)
{
    return fopen((std::string(folder) + "/" + name).c_str(), how);
}

/* n numbers behind the 128 bytes with which the file begins. */
static Numbers numbers_in(const char *folder, const char *name, size_t n)
{
    Numbers x = {std::vector<float>(n), name};
    FILE *f = opened(folder, (std::string(name) + ".npy").c_str(), "rb");
    if (!f || fseek(f, 128, SEEK_SET) || fread(x.host.data(), 4, n, f) != n)
        abort();
    fclose(f);
    return x;
}

/* o's numbers, in a file that is named as their type. */
static int leave(const char *folder, Numbers &o)
{
    if (!o.device) {
        fprintf(stderr, "--attention: the call does not take o\n");
        return 62;
    }
    o.copy_back(o);
    FILE *f = opened(folder, o.type, "wb");
    if (!f || fwrite(o.host.data(), 4, o.host.size(), f) != o.host.size())
        abort();
    return fclose(f);
}

template <class Call>
static int attention(const char *folder, int B, int H, int N, int d, Call call)
{
    size_t n = (size_t)B * H * N * d;
    Numbers q = numbers_in(folder, "q", n), k = numbers_in(folder, "k", n);
    Numbers v = numbers_in(folder, "v", n), o = zeros(n);

    o.name = "o";
    call(q, k, v, o, B, H, N, d, (float)(1 / sqrt((double)d)));
    return leave(folder, o);
}
} // namespace emu

using emu::full;
using emu::zeros;
