/*
 * Rung 7 as a PyTorch extension: rung_full of 07_cuda/rung7_full.cu, for fp16
 * and bf16 tensors on a GPU. No GPU has run it yet. docs/library.md
 */
// ANCHOR: extension
#include <torch/extension.h>

#include "07_cuda/rung.h"

std::vector<torch::Tensor> attention(torch::Tensor q, torch::Tensor k,
                                     torch::Tensor v, bool causal)
{
    for (torch::Tensor *t : {&q, &k, &v}) {
        TORCH_CHECK(
            t->is_cuda() && t->device() == q.device() && t->dim() == 4 &&
                t->dtype() == q.dtype() &&
                (t->dtype() == torch::kHalf || t->dtype() == torch::kBFloat16),
            "q, k and v must be (B, H, N, d) on one GPU, all fp16 or all bf16");
        *t = t->contiguous();
    }
    const int B = q.size(0), Hq = q.size(1), Nq = q.size(2), d = q.size(3);
    const int Hk = k.size(1), Nk = k.size(2);
    TORCH_CHECK(k.sizes() == v.sizes() && k.size(0) == B && k.size(3) == d &&
                    q.numel() > 0 && k.numel() > 0 && Hq % Hk == 0 &&
                    B * Hq < 65536 &&
                    (d == 32 || d == 64 || d == 128 || d == 256),
                "the shapes of q, k and v do not fit, or d is not 32, 64, 128 "
                "or 256");
    const c10::DeviceGuard guard(q.device());
    torch::Tensor o = torch::empty_like(q);
    torch::Tensor lse =
        torch::empty({B, Hq, Nq}, q.options().dtype(torch::kFloat));
    rung_problem p = {};

    p.type = q.dtype() == torch::kHalf ? FP16 : BF16;
    p.Q = q.data_ptr(), p.K = k.data_ptr(), p.V = v.data_ptr();
    p.O = o.data_ptr(), p.L = lse.data_ptr<float>();
    p.heads = B * Hq, p.group = Hq / Hk;
    p.Nq = Nq, p.Nk = Nk, p.D = d;
    p.scale = 1 / std::sqrt((float)d);
    p.offset = causal ? Nk - Nq : Nk;

    const int error = rung_full(&p); /* starts it in the default stream */
    TORCH_CHECK(error == 0, "rung 7: CUDA error ", error);
    return {o, lse};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
    m.def("attention", &attention);
}
// ANCHOR_END: extension
