# hopper.mk: by nvcc, the rungs that are for Hopper alone; rung 11's model.

FP8_MODEL = $(addprefix $(CU)/,e4m3.o fp8_model.o fp8_model_quantise.o \
              fp8_problem.o)
$(CU)/test_fp8 $(CU)/test_fp8_random: $(FP8_MODEL)

$(BUILD)/07_cuda/fp8_error: $(CU)/fp8_error.o $(FP8_MODEL) $(ON_CPU) \
		$(FOR_LADDER) $(CUDA_ON_CPU_LIB) | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(CUDA_ON_CPU_LINK) $(OPENMP)
WOVEN += $(BUILD)/07_cuda/fp8_error

## fp8-error       what rung 11's e4m3 costs, against float64
.PHONY: fp8-error
fp8-error: $(BUILD)/07_cuda/fp8_error
	@$<
	@echo "next: docs/hopper.md"

# wgmma and setmaxnreg exist for sm_90a alone, and only in this spelling.
HOPPER := $(wildcard 07_cuda/rung[89]_*.cu 07_cuda/rung1[0-2]_*.cu)

$(HOPPER:07_cuda/%.cu=$(GPU)/%.o): \
  NVCC_FOR = -gencode=arch=compute_90a,code=sm_90a

## nvcc-hopper     the Hopper rungs through nvcc: no spills, nothing serialised
.PHONY: nvcc-hopper
nvcc-hopper:
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh 07_cuda/nvcc_hopper.sh $(HOPPER)
	@echo "next: docs/hopper.md"
