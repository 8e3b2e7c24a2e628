/* A PyTorch extension that calls libflash on the CPU. docs/library.md */
/* ANCHOR: extension */
#include <flash.h>
#include <torch/extension.h>

static flash_array array_of(const torch::Tensor &t)
{
    return {t.data_ptr(), t.stride(0), t.stride(1), t.stride(2),
            t.dim() == 4 ? t.stride(3) : 1};
}

std::vector<torch::Tensor> attention(torch::Tensor q, torch::Tensor k,
                                     torch::Tensor v, bool causal)
{
    for (const torch::Tensor &t : {q, k, v})
        TORCH_CHECK(
            t.is_cpu() && t.dim() == 4 && t.dtype() == q.dtype() &&
                (t.dtype() == torch::kFloat || t.dtype() == torch::kBFloat16) &&
                t.stride(3) != 0, /* flash.h: all 0 means contiguous */
            "q, k and v must be (B, H, N, d) on the CPU, all fp32 or all bf16, "
            "with a last stride other than 0");
    size_t B = q.size(0), Hq = q.size(1), Nq = q.size(2), d = q.size(3);
    size_t Hk = k.size(1), Nk = k.size(2), dv = v.size(3);
    flash_type type = q.dtype() == torch::kBFloat16 ? FLASH_BF16 : FLASH_FP32;
    flash_problem p = {sizeof p, B, Hq, Hk, Nq, Nk, d, dv, type, type, causal};
    auto o =
        torch::empty({q.size(0), q.size(1), q.size(2), v.size(3)}, q.dtype());
    auto lse = torch::empty({q.size(0), q.size(1), q.size(2)}, torch::kFloat);
    char why[FLASH_TEXT] = "the shapes of q, k and v do not fit";

    TORCH_CHECK(k.sizes().slice(0, 3) == v.sizes().slice(0, 3) &&
                    k.size(0) == q.size(0) && k.size(3) == q.size(3) &&
                    flash_forward(&p, array_of(q), array_of(k), array_of(v),
                                  array_of(o), array_of(lse), why) == FLASH_OK,
                why);
    return {o, lse};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
    m.def("attention", &attention);
}
/* ANCHOR_END: extension */
