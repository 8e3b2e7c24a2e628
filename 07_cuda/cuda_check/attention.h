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
    std::string name;
    void *device = nullptr;
    std::string type = ""; /* and then is on the device */

    template <class T> operator T *()
    {
        typedef typename std::remove_const<T>::type E;
        if (!device) {
            allocate(&device, host.size() * sizeof(E), Site::here(),
                     name.c_str(), true);
            std::copy(host.begin(), host.end(), (E *)device);
            type = std::is_same<E, __nv_bfloat16>::value ? "bf16" : "fp16";
            if (sizeof(E) == 4)
                type = "fp32";
        }
        return (T *)device;
    }
    float now(size_t i) const
    {
        return type == "fp32"   ? ((const float *)device)[i]
               : type == "fp16" ? (float)((const __half *)device)[i]
                                : (float)((const __nv_bfloat16 *)device)[i];
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

/* A .npy file, whose first 128 bytes say what the rest is. */
static void save(std::string file, const std::vector<float> &x,
                 const int shape[4])
{
    char about[200];
    snprintf(about, sizeof about,
             "{'descr': '<f4', 'fortran_order': False, "
             "'shape': (%d, %d, %d, %d), }",
             shape[0], shape[1], shape[2], shape[3]);
    FILE *f = fopen((file + ".npy").c_str(), "wb");
    if (!f || fprintf(f, "\x93NUMPY%c%cv%c%-117s\n", 1, 0, 0, about) != 128 ||
        fwrite(x.data(), 4, x.size(), f) != x.size() || fclose(f))
        abort();
}

/* Where the files are, and of what shape. */
static const std::string folder = EMU_FOLDER;
static const int sizes[] = {EMU_SIZES};

static Numbers input(const char *name)
{
    static std::mt19937 source;
    Numbers x = full((size_t)sizes[0] * sizes[1] * sizes[2] * sizes[3], 0);

    x.name = name;
    for (float &number : x.host) /* that 16 bits hold */
        number = (float)(source() % 256) / 64 - 2;
    save(folder + name, x.host, sizes);
    return x;
}

static int leave(Numbers &o)
{
    if (!o.device) {
        fprintf(stderr, "--attention: the call does not take o\n");
        return 62;
    }
    for (size_t i = 0; i < o.host.size(); i++)
        o.host[i] = o.now(i);
    save(folder + o.type, o.host, sizes);
    return 0;
}
} // namespace emu

using emu::full;
using emu::zeros;

int main()
{
    const int B = emu::sizes[0], H = emu::sizes[1], N = emu::sizes[2];
    const int d = emu::sizes[3];
    const float scale = (float)(1 / sqrt((double)d));
    emu::Numbers q = emu::input("q"), k = emu::input("k"), v = emu::input("v");
    emu::Numbers o = zeros(q.host.size());

    o.name = "o";
    {
#line 1 "--attention"
        EMU_CALL;
    }
    return emu::leave(o);
}
