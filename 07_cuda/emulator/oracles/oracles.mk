# oracles.mk: what can be known of the kernels without a GPU, from NVIDIA's own
# words: its library of layouts (cute-check), its machine code (sass-check).

ORACLES = $(BUILD)/07_cuda/oracles
PACKAGES = $(ORACLES)/packages

# --- Layouts -----------------------------------------------------------------

## cute-check      the emulator's layouts against NVIDIA's CuTe (a table)
CUTE_CHECK = $(CU)/emulator/oracles/test_cute
$(CUTE_CHECK): $(CUTE_CHECK).o $(CUDA_ON_CPU_LIB)
	$(call say,link   ,$@)
	$(Q)$(CUDA_ON_CPU_LINK)

cute-check: $(CUTE_CHECK)
	@$<
	@echo "next: make sass-check"

# --- Machine code ------------------------------------------------------------

## sass-check      the machine code: spills, registers, what runs beside what
sass-check: nvcc-hopper $(ORACLES)/launches
	@ARCHS=sm_80 NVCC='$(NVCC)' BUILD='$(BUILD)' sh \
	 07_cuda/bench/nvcc_check.sh $(filter-out $(HOPPER),$(LADDER))
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh 07_cuda/emulator/oracles/sass_check.sh \
	 $(PACKAGES) $(ORACLES)/launches
	@echo "next: make gpu-check"
