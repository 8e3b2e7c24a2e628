/* attention.h: the main function for --attention. cuda-check appends it to the
 * user's file. It runs the user's call, and writes q, k, v and o to files for
 * flash judge. Page: docs/cuda_check.md. */
#include <stdio.h>

#include <random>
#include <string>
#include <vector>

namespace emu
{
/* The first conversion to a pointer makes and fills the array on the device. */
struct Numbers {
    std::vector<float> host;
    std::string name;
    void *device = nullptr;
    std::string type = ""; /* type on the device: fp32, fp16 or bf16 */
    float (*get)(const void *, size_t) = nullptr;

    template <class T> operator T *()
    {
        typedef typename std::remove_const<T>::type E;
        if (!device) {
            allocate(&device, host.size() * sizeof(E), Site::here(),
                     name.c_str(), true);
            std::copy(host.begin(), host.end(), (E *)device);
            type = std::is_same<E, __nv_bfloat16>::value ? "bf16" : "fp16";
            type = sizeof(E) == 4 ? "fp32" : type;
            get = [](const void *p, size_t i) { return (float)((E *)p)[i]; };
        }
        return (T *)device;
    }
};

static Numbers full(size_t n, float x)
{
    return {std::vector<float>(n, x), "scratch"};
}
static Numbers zeros(size_t n)
{
    return full(n, 0);
}

static void save(const std::string &file, const std::vector<float> &x)
{
    FILE *f = fopen((EMU_FOLDER + file).c_str(), "wb");
    char about[118]; /* the text of the .npy header */
    snprintf(about, sizeof about,
             "{'descr': '<f4', 'fortran_order': False, "
             "'shape': (%d, %d, %d, %d), }",
             EMU_SIZES);
    if (!f || fwrite("\x93NUMPY\x01\0v\0", 10, 1, f) != 1 ||
        fprintf(f, "%-117s\n", about) != 118 ||
        fwrite(x.data(), 4, x.size(), f) != x.size() || fclose(f))
        abort();
}

static Numbers input(const char *name, size_t n)
{
    static std::mt19937 source;
    Numbers x = {std::vector<float>(n), name};
    for (float &number : x.host) /* fp16 and bf16 represent these exactly */
        number = (float)(source() % 256) / 64 - 2;
    save(name, x.host);
    return x;
}

static Numbers &cleared(Numbers &o)
{
    std::fill(o.host.begin(), o.host.end(), 0.0f);
    return o;
}

static int leave(Numbers &o)
{
    if (!o.device) {
        fprintf(stderr, "--attention: the call must pass o to the kernel\n");
        return 62;
    }
    cudaDeviceSynchronize();
    for (size_t i = 0; i < o.host.size(); i++)
        o.host[i] = o.get(o.device, i);
    save(o.type, o.host);
    return 0;
}
} // namespace emu

using emu::cleared;
using emu::full;
using emu::zeros;

int main()
{
    const int sizes[] = {EMU_SIZES};
    const int B = sizes[0], H = sizes[1], N = sizes[2], d = sizes[3];
    const float scale = (float)(1 / sqrt((double)d));
    const size_t n = (size_t)B * H * N * d;
    emu::Numbers q = emu::input("q", n), k = emu::input("k", n);
    emu::Numbers v = emu::input("v", n), o = full(n, NAN);

    o.name = "o";
    {
#line 1 "--attention"
        EMU_CALL;
    }
    return emu::leave(o);
}
