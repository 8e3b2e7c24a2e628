# 07_cuda.mk: chapter 07 for the CPU (by cuda_on_cpu.mk) and for a GPU (nvcc).
# The top-level Makefile includes it; it needs nvcc for no target but its own.
#
# Everything is made twice: in $(CU) with the emulator, in $(GPU) by nvcc.

NVCC = nvcc
GPU = $(BUILD)/07_cuda/gpu
LADDER := $(filter 07_cuda/rung%,$(wildcard 07_cuda/*.cu)) 07_cuda/device.cu
BRIDGE := $(addprefix 07_cuda/,ladder.c padded.c steps.c)
FOR_LADDER = $(BUILD)/libsteps.a $(BUILD)/libcommon.a
LADDER_TESTS := $(patsubst 07_cuda/%.c,$(CU)/%,$(wildcard \
                   07_cuda/test_*.c))

# --- On the CPU --------------------------------------------------------------

ON_CPU = $(patsubst 07_cuda/%.cu,$(CU)/%.o,$(LADDER)) \
         $(patsubst 07_cuda/%.c,$(CU)/%.o,$(BRIDGE))

# C files that ask whether the emulator is there.
$(CU)/%.o: 07_cuda/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(Q)$(CC) $(CPPFLAGS) -DCUDA_ON_CPU $(CFLAGS) -MMD -MP -c $< -o $@

$(LADDER_TESTS:%=%.o): CFLAGS += $(CMOCKA_FLAGS)
$(LADDER_TESTS:%=%.o): | $(BUILD)/cmocka

$(LADDER_TESTS): %: %.o $(ON_CPU) $(BUILD)/libtest.a $(FOR_LADDER) \
		$(CUDA_ON_CPU_LIB) | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(CUDA_ON_CPU_LINK) $(CMOCKA_LIBS) $(OPENMP)

# Where there is no C++ compiler, or another sanitizer, the rest goes on.
ifneq ($(shell command -v $(firstword $(CXX))),)
ifeq ($(findstring sanitize,$(OPT)),)
test test-07: $(LADDER_TESTS)
endif
endif
