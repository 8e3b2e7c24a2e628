/* names.h: CUDA functions of users' code that chapter 07 does not call. */
#pragma once
#include <math.h>
#include <time.h>

#include <limits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* --- Numbers -------------------------------------------------------------- */

namespace emu
{
/* Converts x to the integer type T, clamped to T's range. NaN becomes 0. */
template <class T> T saturated(double x)
{
    typedef std::numeric_limits<T> L;
    return x != x                  ? 0
           : x <= (double)L::min() ? L::min()
           : x >= (double)L::max() ? L::max()
                                   : (T)x;
}
} // namespace emu

#define EMU_F(result, name, parameters, value)                                 \
    static inline result name parameters                                       \
    {                                                                          \
        return value;                                                          \
    }
#define EMU_TO_WHOLE(name, T, from)                                            \
    EMU_F(T, __##name##_rn, (from x), emu::saturated<T>(rint((double)x)))      \
    EMU_F(T, __##name##_rz, (from x), emu::saturated<T>(trunc((double)x)))     \
    EMU_F(T, __##name##_ru, (from x), emu::saturated<T>(ceil((double)x)))      \
    EMU_F(T, __##name##_rd, (from x), emu::saturated<T>(floor((double)x)))
EMU_TO_WHOLE(float2int, int, float)
EMU_TO_WHOLE(float2uint, unsigned, float)
EMU_TO_WHOLE(float2ll, long long, float)
EMU_TO_WHOLE(double2int, int, double)
EMU_TO_WHOLE(double2uint, unsigned, double)
EMU_TO_WHOLE(double2ll, long long, double)
EMU_TO_WHOLE(half2int, int, half)
EMU_F(float, __int2float_rn, (int x), (float)x)
EMU_F(float, __uint2float_rn, (unsigned x), (float)x)
EMU_F(float, __ll2float_rn, (long long x), (float)x)
EMU_F(float, __double2float_rn, (double x), (float)x)
EMU_F(double, __int2double_rn, (int x), x)

#define EMU_ROUNDED(f, d, op)                                                  \
    EMU_F(float, __f##f##_rn, (float x, float y), x op y)                      \
    EMU_F(double, __d##f##_rn, (double x, double y), x op y)
EMU_ROUNDED(add, add, +)
EMU_ROUNDED(sub, sub, -)
EMU_ROUNDED(mul, mul, *)
EMU_ROUNDED(div, div, /)
EMU_F(float, __fsqrt_rn, (float x), sqrtf(x))
EMU_F(float, __frsqrt_rn, (float x), rsqrtf(x))
EMU_F(float, __saturatef, (float x), x > 0 ? fminf(x, 1) : 0)

/* These are macros because C libraries declare functions of these names; rsqrt is
 * in C23. */
#define rsqrt(x)           (1 / sqrt(x))
#define __sinf(x)          sinf(x)
#define __cosf(x)          cosf(x)
#define __tanf(x)          tanf(x)
#define __powf(x, y)       powf(x, y)
#define __log10f(x)        log10f(x)
#define __exp10f(x)        powf(10, x)
#define __sincosf(x, s, c) sincosf(x, s, c)

EMU_F(unsigned, umin, (unsigned x, unsigned y), x < y ? x : y)
EMU_F(unsigned, umax, (unsigned x, unsigned y), x < y ? y : x)
EMU_F(int, __mulhi, (int x, int y), (int)((long long)x *y >> 32))
EMU_F(unsigned, __umulhi, (unsigned x, unsigned y),
      (unsigned)((unsigned long long)x *y >> 32))
EMU_F(int, __mul24, (int x, int y),
      (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8)))
EMU_F(unsigned, __umul24, (unsigned x, unsigned y),
      (x & 0xffffff) * (y & 0xffffff))
EMU_F(int, __clzll, (long long x),
      x ? __builtin_clzll((unsigned long long)x) : 64)
EMU_F(unsigned, __funnelshift_l, (unsigned low, unsigned high, unsigned by),
      (unsigned)(((unsigned long long)high << 32 | low) << (by & 31) >> 32))
EMU_F(unsigned, __funnelshift_r, (unsigned low, unsigned high, unsigned by),
      (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31)))

static inline unsigned long long __brevll(unsigned long long x)
{
    unsigned long long y = 0;
    for (int i = 0; i < 64; i++)
        y |= (x >> i & 1) << (63 - i);
    return y;
}
EMU_F(unsigned, __brev, (unsigned x), (unsigned)(__brevll(x) >> 32))

/* Each of the four low nibbles of s selects one of the 8 bytes y:x. A nibble k
 * above 7 gives the sign bit of byte k - 8, repeated 8 times. */
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned from = s >> 4 * i & 15;
        unsigned byte =
            (unsigned)(((unsigned long long)y << 32 | x) >> (from & 7) * 8) &
            255;
        result |= (from < 8 ? byte : byte >> 7 ? 255u : 0u) << 8 * i;
    }
    return result;
}

template <class T> static inline T __dp4a(T a, T b, T sum)
{
    typedef typename std::conditional<std::is_signed<T>::value, signed char,
                                      unsigned char>::type Byte;
    for (int i = 0; i < 4; i++)
        sum += (T)(Byte)(a >> 8 * i) * (T)(Byte)(b >> 8 * i);
    return sum;
}

/* --- 16 bits -------------------------------------------------------------- */

#define EMU_PAIR(name, one)                                                    \
    template <class F> emu::Pair<F> name(emu::Pair<F> a)                       \
    {                                                                          \
        return {one(a.x), one(a.y)};                                           \
    }
EMU_PAIR(h2exp, hexp)
EMU_PAIR(h2exp2, hexp2)
EMU_PAIR(h2log, hlog)
EMU_PAIR(h2sqrt, hsqrt)
EMU_PAIR(h2rsqrt, hrsqrt)
EMU_PAIR(h2rcp, hrcp)
EMU_PAIR(__hneg2, __hneg)
EMU_PAIR(__habs2, __habs)
#define EMU_BITS(type, h)                                                      \
    static inline type __ushort_as_##h(unsigned short bits)                    \
    {                                                                          \
        type x;                                                                \
        x.bits = bits;                                                         \
        return x;                                                              \
    }                                                                          \
    EMU_F(type, __short_as_##h, (short b), __ushort_as_##h((unsigned short)b)) \
    EMU_F(unsigned short, __##h##_as_ushort, (type x), x.bits)                 \
    EMU_F(short, __##h##_as_short, (type x), (short)x.bits)
EMU_BITS(half, half)
EMU_BITS(__nv_bfloat16, bfloat16)
EMU_F(half2, make_half2, (half x, half y), half2(x, y))
EMU_F(half2, __low2half2, (half2 p), half2(p.x, p.x))
EMU_F(half2, __high2half2, (half2 p), half2(p.y, p.y))

/* --- Warps and blocks ----------------------------------------------------- */

template <class T>
unsigned __match_any_sync(unsigned mask, T x, emu::Site at = emu::Site::here())
{
    unsigned same = 0;
    for (int l = 0; l < 32; l++)
        if (mask >> l & 1)
            same |= (unsigned)(emu::shuffle(mask, x, l, at) == x) << l;
    return same;
}
template <class T>
unsigned __match_all_sync(unsigned mask, T x, int *all,
                          emu::Site at = emu::Site::here())
{
    *all = (__match_any_sync(mask, x, at) & mask) == mask;
    return *all ? mask : 0;
}

static inline int __syncthreads_count(int vote,
                                      emu::Site at = emu::Site::here())
{
    return emu::barrier_count(vote != 0, at);
}
static inline int __syncthreads_or(int vote, emu::Site at = emu::Site::here())
{
    return __syncthreads_count(vote, at) != 0;
}
static inline int __syncthreads_and(int vote, emu::Site at = emu::Site::here())
{
    return __syncthreads_count(!vote, at) == 0;
}

static inline void __nanosleep(unsigned)
{
}
#define __trap() assert(!"the kernel called __trap()")
static inline long long clock64()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* The emulator runs blocks one after the other, so all scopes are equal. */
#define EMU_SCOPES(name)                                                       \
    template <class... A> __forceinline__ auto name##_block(A... a)            \
    {                                                                          \
        return name(a...);                                                     \
    }                                                                          \
    template <class... A> __forceinline__ auto name##_system(A... a)           \
    {                                                                          \
        return name(a...);                                                     \
    }
EMU_SCOPES(atomicAdd)
EMU_SCOPES(atomicSub)
EMU_SCOPES(atomicMax)
EMU_SCOPES(atomicMin)
EMU_SCOPES(atomicExch)
EMU_SCOPES(atomicAnd)
EMU_SCOPES(atomicOr)
EMU_SCOPES(atomicXor)
EMU_SCOPES(atomicInc)
EMU_SCOPES(atomicDec)
EMU_SCOPES(atomicCAS)
#define __ldcv __ldcg
#define __ldlu __ldcg
#define __stwb __stcg
#define __stwt __stcg

/* --- The runtime ---------------------------------------------------------- */

template <class T>
cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height,
                            emu::Site at = emu::Site::here())
{
    *pitch = (width + 511) / 512 * 512;
    return emu::allocate((void **)p, *pitch * height, at);
}
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch,
                                            const void *from, size_t from_pitch,
                                            size_t width, size_t height,
                                            cudaMemcpyKind kind,
                                            cudaStream_t stream = nullptr,
                                            emu::Site at = emu::Site::here())
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < height && error == cudaSuccess; i++)
        error = cudaMemcpyAsync((char *)to + i * to_pitch,
                                (const char *)from + i * from_pitch, width,
                                kind, stream, at);
    return error;
}
static inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch,
                                       const void *from, size_t from_pitch,
                                       size_t width, size_t height,
                                       cudaMemcpyKind kind,
                                       emu::Site at = emu::Site::here())
{
    cudaError_t error = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width,
                                          height, kind, nullptr, at);
    return error ? error : cudaStreamSynchronize(nullptr);
}

template <class... P, size_t... i>
void emu_spread(emu::Launch what, void (*f)(P...), void **a,
                std::index_sequence<i...>)
{
    emu::launch_with(what, f, *(typename std::remove_const<P>::type *)a[i]...);
}
/* Launches f with the values at the addresses `arguments`. translate.py removes
 * the cast of f to void *. */
template <class... P>
cudaError_t emu_launch(const char *name, void (*f)(P...), dim3 g, dim3 b,
                       void **arguments, size_t shared = 0,
                       cudaStream_t stream = nullptr,
                       emu::Site at = emu::Site::here())
{
    emu_spread({name,
                (const void *)f,
                (const void *)f,
                {g.x, g.y, g.z},
                {b.x, b.y, b.z},
                shared,
                stream,
                at},
               f, arguments, std::index_sequence_for<P...>());
    return cudaPeekAtLastError();
}

#define cudaLaunchKernel(f, ...) emu_launch(#f, f, __VA_ARGS__)

struct cudaFuncAttributes {
    size_t sharedSizeBytes = 0, constSizeBytes = 0, localSizeBytes = 0;
    int maxThreadsPerBlock = 1024, numRegs = 32, ptxVersion = 80;
    int binaryVersion = 80, maxDynamicSharedSizeBytes = 49152;
};
enum { cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly };
enum { cudaMemAdviseSetPreferredLocation = 3, cudaMemAdviseSetAccessedBy = 5 };
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
template <class A, class T> cudaError_t cudaGetSymbolAddress(A **p, T &symbol)
{
    *p = (A *)(void *)&symbol;
    emu::add_symbol((const void *)&symbol, sizeof symbol);
    return cudaSuccess;
}
#define EMU_CALL(name, parameters, does)                                       \
    template <class... Any> cudaError_t name parameters                        \
    {                                                                          \
        does;                                                                  \
        return cudaSuccess;                                                    \
    }
EMU_CALL(cudaFuncGetAttributes, (cudaFuncAttributes * a, Any...), *a = {})
EMU_CALL(cudaDeviceGetStreamPriorityRange, (int *least, int *most, Any...),
         *least = *most = 0)
#define cudaStreamCreateWithPriority(stream, flags, priority)                  \
    cudaStreamCreateWithFlags(stream, flags)
EMU_CALL(cudaFuncSetCacheConfig, (Any...), )
EMU_CALL(cudaDeviceSetCacheConfig, (Any...), )
EMU_CALL(cudaDeviceSetSharedMemConfig, (Any...), )
template <class T>
cudaError_t cudaHostGetDevicePointer(T **p, void *host, unsigned)
{
    *p = (T *)host;
    return cudaSuccess;
}
#define __builtin_assume(condition) ((void)0)
/* The emulator does not find races on registered memory. */
static inline cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned)
{
    emu::add_symbol(p, bytes);
    return cudaSuccess;
}
EMU_CALL(cudaHostUnregister, (Any...), )
enum { cudaHostRegisterDefault, cudaHostRegisterPortable };
enum { cudaHostRegisterMapped = 2, cudaDeviceMapHost = 8 };
enum { cudaDeviceScheduleAuto, cudaDeviceBlockingSync = 4 };
#define cudaThreadSynchronize cudaDeviceSynchronize
