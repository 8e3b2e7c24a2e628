# oracles.mk: what can be known of the kernels without a GPU, from NVIDIA's own
# words: its library of layouts (cute-check), its machine code (sass-check).

ORACLES = $(BUILD)/07_cuda/oracles
PACKAGES = $(ORACLES)/packages
NVIDIA = $(PACKAGES)/nvidia/cu13/include
COMPARED := $(patsubst 07_cuda/%.cu,$(CU)/%.o, \
              $(wildcard 07_cuda/emulator/oracles/compare_*.cu))

# --- Layouts -----------------------------------------------------------------

## cute-check      compare layouts and descriptors with NVIDIA's CuTe
cute-check:
	@sh 07_cuda/emulator/oracles/cute_check.sh $(PACKAGES) \
	 '$(MAKE) --no-print-directory $(ORACLES)/cute_check'
	@echo "next: make sass-check"

FROM_CUTE = $(CXX) -std=c++17 -w -I$(PACKAGES)/cutlass_library/source/include \
            -I$(NVIDIA) -I$(NVIDIA)/cccl
$(ORACLES)/cute_tables: 07_cuda/emulator/oracles/cute_tables.cpp $(PACKAGES)/packages.txt
	$(call say,compile,$<)
	$(Q)$(FROM_CUTE) $< -o $@
$(ORACLES)/cute_tables.h: $(ORACLES)/cute_tables
	$(Q)$< h >$@
$(ORACLES)/cute_data.o: $(ORACLES)/cute_tables
	$(Q)$< >$(@:.o=.cpp)
	$(Q)$(CXX) -c $(@:.o=.cpp) -o $@

$(COMPARED): $(ORACLES)/cute_tables.h
$(COMPARED): CU_CXX += -I$(ORACLES) -Wno-unused-function
$(ORACLES)/%.o: 07_cuda/emulator/oracles/%.cpp $(ORACLES)/cute_tables.h \
		$(BUILD)/07_cuda/flags
	$(call say,compile,$<)
	$(Q)$(CU_CXX) -I$(ORACLES) -MMD -MP -c $< -o $@

$(ORACLES)/cute_check: $(ORACLES)/cute_check.o $(ORACLES)/cute_data.o \
		$(COMPARED) $(CUDA_ON_CPU_LIB)
	$(call say,link   ,$@)
	$(Q)$(CUDA_ON_CPU_LINK)

-include $(wildcard $(ORACLES)/*.d)

# --- Machine code ------------------------------------------------------------

## sass-check      check the machine code: spills, registers, overlap
sass-check: nvcc-hopper $(ORACLES)/launches
	@ARCHS=sm_80 NVCC='$(NVCC)' BUILD='$(BUILD)' sh \
	 07_cuda/bench/nvcc_check.sh $(filter-out $(HOPPER),$(LADDER))
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh 07_cuda/emulator/oracles/sass_check.sh \
	 $(PACKAGES) $(ORACLES)/launches
	@echo "next: make gpu-check"
