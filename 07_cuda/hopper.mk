# hopper.mk: by nvcc, the rungs that are for Hopper alone; rung 11's model.

FP8_MODEL = $(addprefix $(CU)/,e4m3.o fp8_model.o fp8_model_quantise.o \
              fp8_problem.o)
$(CU)/test_fp8 $(CU)/test_fp8_random: $(FP8_MODEL)

# wgmma and setmaxnreg exist for sm_90a alone, and only in this spelling.
HOPPER := $(wildcard 07_cuda/rung[89]_*.cu 07_cuda/rung1[0-2]_*.cu)

$(HOPPER:07_cuda/%.cu=$(GPU)/%.o): \
  NVCC_FOR = -gencode=arch=compute_90a,code=sm_90a

## nvcc-hopper     the Hopper rungs through nvcc: no spills, nothing serialised
.PHONY: nvcc-hopper
nvcc-hopper:
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh 07_cuda/nvcc_hopper.sh $(HOPPER)
	@echo "next: docs/hopper.md"
