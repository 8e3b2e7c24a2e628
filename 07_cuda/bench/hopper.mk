# hopper.mk: by nvcc, the rungs that are for Hopper alone; rung 11's model.

fp8_model = $(addprefix $(1)/fp8/fp8_,model.o model_quantise.o)
$(CU)/tests/test_fp8: $(call fp8_model,$(CU))
$(GPU)/tests/test_fp8: $(call fp8_model,$(GPU))

$(BUILD)/07_cuda/fp8_error: $(CU)/lab/fp8_error.o $(call fp8_model,$(CU))
WOVEN += $(BUILD)/07_cuda/fp8_error

## fp8-error       what rung 11's e4m3 costs, against float64
.PHONY: fp8-error
fp8-error: $(BUILD)/07_cuda/fp8_error
	@$<
	@echo "next: docs/hopper.md"

# wgmma and setmaxnreg exist for sm_90a alone, and only in this spelling.
HOPPER := $(wildcard 07_cuda/rung[89]_*.cu 07_cuda/rung1[0-2]_*.cu \
            07_cuda/backward/b4*_*.cu)

FOR_HOPPER = -gencode=arch=compute_90a,code=sm_90a

$(HOPPER:07_cuda/%.cu=$(GPU)/%.o): NVCC_FOR = $(FOR_HOPPER)

# --- Races -------------------------------------------------------------------
# racecheck cannot follow TMA: so repeat, with 2, 3 and 4 stages that are filled
# with NaNs, and with sleep (shake.cuh). With the emulator: NaNs alone.

define shaken
$(GPU)/shaken_$(1)/%.o: 07_cuda/%.cu $(wildcard 07_cuda/*.h 07_cuda/*/*.h \
		07_cuda/*/*.cuh)
	@mkdir -p $$(@D)
	$$(call say,nvcc   ,$$@)
	$$(Q)$$(NVCC) $$(NVCC_FLAGS) $$(FOR_HOPPER) -DSHAKE=$(1) -c $$< -o $$@ $$(OR_REFUSE)

# Its own rungs come before those of libladder.so.
$(GPU)/bench/repeat_$(1): $(GPU)/bench/repeat.o $(GPU)/bench/timing.o \
		$(HOPPER:07_cuda/%.cu=$(GPU)/shaken_$(1)/%.o) $(ON_GPU) $(FOR_LADDER)
	$$(call say,link   ,$$@)
	$$(Q)$$(NVCC_LINK)

$(CU)/shaken_$(1)/%.o: 07_cuda/%.cu $(CU)/%.o
	@mkdir -p $$(@D)
	$$(call say,compile,$$@)
	$$(Q)$$(CU_CXX) $$(HOOKS) -DSHAKE=$(1) -c $(CU)/$$*.cpp -o $$@

$(CU)/bench/repeat_$(1): $(CU)/bench/repeat.o $(CU)/bench/timing.o \
		$(HOPPER:07_cuda/%.cu=$(CU)/shaken_$(1)/%.o) \
		$(filter-out $(HOPPER:07_cuda/%.cu=$(CU)/%.o),$(ON_CPU)) $(FOR_LADDER) \
		$(CUDA_ON_CPU_LIB) | $(BUILD)/openmp
	$$(call say,link   ,$$@)
	$$(Q)$$(CUDA_ON_CPU_LINK) $$(OPENMP)
endef
$(foreach n,2 3 4,$(eval $(call shaken,$(n))))

# --- Spills ------------------------------------------------------------------

## nvcc-hopper     the Hopper rungs through nvcc: no spills, nothing serialised
nvcc-hopper:
	@ARCHS=sm_90a NVCC='$(NVCC)' BUILD='$(BUILD)' \
	 sh 07_cuda/bench/nvcc_check.sh $(HOPPER)
	@echo "next: docs/hopper.md"
