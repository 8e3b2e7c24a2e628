# hopper.mk: the rungs for Hopper, 8 and on. It goes on where 07_cuda.mk ends.

HOPPER := $(wildcard 07_cuda/rung[89]_*.cu 07_cuda/rung1?_*.cu)

# --- On the CPU --------------------------------------------------------------

HOPPER_TESTS := $(CU)/test_hopper $(CU)/test_hopper_random
HOPPER_ON_CPU = $(HOPPER:07_cuda/%.cu=$(CU)/%.o) $(CU)/hopper_steps.o

$(HOPPER_TESTS:%=%.o): CFLAGS += $(CMOCKA_FLAGS)
$(HOPPER_TESTS:%=%.o): | $(BUILD)/cmocka

$(HOPPER_TESTS): $(HOPPER_ON_CPU)
$(filter-out $(LADDER_TESTS),$(HOPPER_TESTS)): %: %.o $(ON_CPU) \
		$(BUILD)/libtest.a $(FOR_LADDER) $(CUDA_ON_CPU_LIB) \
		| $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(CUDA_ON_CPU_LINK) $(CMOCKA_LIBS) $(OPENMP)

ifneq ($(shell command -v $(firstword $(CXX))),)
ifeq ($(findstring sanitize,$(OPT)),)
test test-07: $(if $(NO_CUDA),,$(HOPPER_TESTS))
endif
endif

# --- By nvcc -----------------------------------------------------------------
# wgmma and setmaxnreg exist for sm_90a alone, and only in this spelling.

$(HOPPER:07_cuda/%.cu=$(GPU)/%.o): NVCC_FLAGS = -O3 -std=c++17 -lineinfo \
  -gencode=arch=compute_90a,code=sm_90a -I. -I07_cuda

## nvcc-hopper     the Hopper rungs through nvcc: no spills, nothing serialised
.PHONY: nvcc-hopper
nvcc-hopper:
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh 07_cuda/nvcc_hopper.sh $(HOPPER)
	@echo "next: docs/hopper.md"
