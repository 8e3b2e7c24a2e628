/* attention.h: for a file without a main: calls what it is given with q, k, v and
 * o, and leaves all four in files. cuda-check appends it, and asks ./run --judge
 * about them. Page: docs/cuda_check.md. */
#include <stdio.h>

#include <random>
#include <string>
#include <vector>

namespace emu
{
struct Numbers { /* converts to whatever pointer is asked for */
    std::vector<float> host;
    const char *name; /* also of its file */
    void *device = nullptr;
    void (*copy_back)(Numbers &) = nullptr;

    template <class T> operator T *()
    {
        typedef typename std::remove_const<T>::type E;
        if (device)
            return (T *)device;
        std::vector<E> v(host.begin(), host.end());
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
        x.host.assign(v.begin(), v.end());
        x.name = std::is_same<E, __nv_bfloat16>::value ? "bf16" : "fp16";
        if (sizeof(E) == 4)
            x.name = "fp32";
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

/* Numbers that 16 bits hold. */
static Numbers random(size_t n, const char *name)
{
    static std::mt19937 source;
    Numbers x = {std::vector<float>(n), name};
    for (float &number : x.host)
        number = (float)(source() % 256) / 64 - 2;
    return x;
}

/* In a .npy file, whose first 128 bytes say what the rest is. */
static void save(const Numbers &x, std::string folder, std::string shape)
{
    std::string about =
        "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    FILE *f = fopen((folder + "/" + x.name + ".npy").c_str(), "wb");
    if (!f ||
        fprintf(f, "\x93NUMPY%c%cv%c%-117s\n", 1, 0, 0, about.c_str()) != 128 ||
        fwrite(x.host.data(), 4, x.host.size(), f) != x.host.size() ||
        fclose(f))
        abort();
}

template <class Call>
static int attention(const char *folder, int B, int H, int N, int d, Call call)
{
    size_t n = (size_t)B * H * N * d;
    char shape[80];
    Numbers q = random(n, "q"), k = random(n, "k"), v = random(n, "v");
    Numbers o = zeros(n);

    o.name = "o";
    snprintf(shape, sizeof shape, "(%d, %d, %d, %d)", B, H, N, d);
    for (const Numbers &x : {q, k, v})
        save(x, folder, shape);
    call(q, k, v, o, B, H, N, d, (float)(1 / sqrt((double)d)));
    if (!o.device) {
        fprintf(stderr, "--attention: the call does not take o\n");
        return 62;
    }
    o.copy_back(o);
    save(o, folder, shape);
    return 0;
}
} // namespace emu

using emu::full;
using emu::zeros;
