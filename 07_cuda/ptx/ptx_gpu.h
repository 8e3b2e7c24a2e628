/* ptx_gpu.h: the functions of ptx.h as inline PTX, for sm_80 and later. */
#pragma once

#define PTX static __device__ __forceinline__

PTX unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Loads four 8 x 8 matrices of 16-bit elements. Lane 8i + j passes the address
 * of row j of matrix i (16 bytes, aligned). r[i] receives two elements of
 * matrix i: columns 2 (lane % 4) and 2 (lane % 4) + 1 of row lane / 4. */
PTX void ldmatrix_x4(unsigned *r, const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

PTX void ldmatrix_x4_trans(unsigned *r, const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
}

#define PTX_MMA(type)                                                          \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 "         \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"      \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                       \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

/* c += a b */
PTX void mma_m16n8k16_bf16(float *c, const unsigned *a, const unsigned *b)
{
    PTX_MMA("bf16");
}
PTX void mma_m16n8k16_f16(float *c, const unsigned *a, const unsigned *b)
{
    PTX_MMA("f16");
}

/* Starts a copy of 16 bytes from global to shared memory. Only the first
 * `bytes` (0 to 16) are read; the others become 0. */
PTX void cp_async_16(void *to, const void *from, int bytes = 16)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
}

/* Makes a group of this thread's copies since its last commit. */
PTX void cp_async_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until at most N of this thread's groups of copies are incomplete. */
template <int N> PTX void cp_async_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

/* Converts two floats to 16-bit floats. lo becomes the lower half. */
PTX unsigned pack_bf16x2(float lo, float hi)
{
    unsigned r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
    return r;
}
PTX unsigned pack_f16x2(float lo, float hi)
{
    unsigned r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
    return r;
}

/* Returns 2^x by one instruction, with an error of about 2 ulp. 2^-inf is 0. */
PTX float exp2_approx(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
