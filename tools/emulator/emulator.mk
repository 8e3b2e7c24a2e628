# emulator.mk: other checks of the kernels without a GPU: NVIDIA's layouts
# (cute-check), the machine code (sass-check) and the PTX interpreter (ptx-check,
# docs/ptx_witness.md). The last two need nvcc.

SASS = $(BUILD)/07_cuda/sass
PACKAGES = $(SASS)/packages

# --- Layouts -----------------------------------------------------------------

## cute-check      compare the emulator's layouts with NVIDIA's CuTe
CUTE_CHECK = $(CU)/tools/emulator/sass/test_cute
$(CUTE_CHECK): $(CUTE_CHECK).o $(CUDA_ON_CPU_LIB)
	$(call say,link   ,$@)
	$(Q)$(CUDA_ON_CPU_LINK)

cute-check: $(CUTE_CHECK)
	@$<
	@echo "next: make sass-check"

# --- Machine code ------------------------------------------------------------

## sass-check      check the machine code: spills, registers, overlap
sass-check: nvcc-hopper $(SASS)/launches
	@ARCHS='sm_80 sm_86' NVCC='$(NVCC)' BUILD='$(BUILD)' sh \
	 07_cuda/bench/nvcc_check.sh $(filter-out $(HOPPER),$(LADDER))
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh tools/emulator/sass/sass_check.sh \
	 $(PACKAGES) $(SASS)/launches
	@echo "next: make gpu-check"

# --- The PTX interpreter ------------------------------------------------------

PTX = $(BUILD)/07_cuda/ptx_interpreter
PTX_LIB = $(PTX)/libcudart.so.13
PTX_CXX_FLAGS = -std=c++17 -g -O3 -march=native -ffp-contract=off -fwrapv -fPIC \
                -Wall -Wextra -Wpedantic -Wshadow $(if $(STRICT),-Werror) -I. \
                -Itools/emulator/include \
                -isystem $(dir $(shell command -v $(NVCC)))../include

$(PTX)/%.o: tools/emulator/ptx_interpreter/%.cpp
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(Q)$(CXX) $(PTX_CXX_FLAGS) -MMD -MP -c $< -o $@

$(PTX_LIB): $(patsubst tools/emulator/ptx_interpreter/%.cpp,$(PTX)/%.o, \
		$(wildcard tools/emulator/ptx_interpreter/*.cpp)) tools/emulator/ptx_interpreter/exports.map
	$(call say,link   ,$@)
	$(Q)$(CXX) -shared -Wl,-soname,$(@F) -o $@ $(filter %.o,$^) \
	    -Wl,--version-script=$(filter %.map,$^)

# nvcc compiles to PTX only, as text, and links the runtime dynamically.
PTX_NVCC = $(NVCC) -cudart shared -Xfatbin -compress=false
PTX_HOPPER = -gencode=arch=compute_90a,code=compute_90a

# The mistakes of bugs/, without 5_host.cu, 8_numbers.cu and 9_tma_add.cu.
$(PTX)/gallery: tools/emulator/ptx_interpreter/gallery.cu $(wildcard \
  $(addprefix tools/emulator/cuda_on_cpu/bugs/,[1-467]_*.cu *.h))
	@mkdir -p $(@D)
	$(call say,nvcc   ,$@)
	$(Q)$(PTX_NVCC) -t 2 -std=c++17 -lineinfo -I. $(PTX_HOPPER) -o $@ \
	    $(filter %.cu,$^)

# SHORT=1: five rungs, and the backward rungs. The other rungs return error 209. For a
# T4 (7.5) rungs 5 to 7 and b3 return it, too: they do not compile.
PTX_SHORT = rung0_standard rung1_flash1 rung2_flash2 rung7_full rung10_pingpong
PTX_ARCH = $(if $(filter t4,$(CARD)),75,80)
PTX_GPU = $(PTX)/$(if $(SHORT),short,all)_$(PTX_ARCH)
PTX_TESTS = $(patsubst %,$(PTX_GPU)/tests/test_%,ladder backward_rungs \
              $(if $(filter-out h100,$(CARD)),,hopper fp8))
ifneq ($(SHORT),)
$(patsubst %,$(PTX_GPU)/%.o,$(filter-out $(PTX_SHORT), \
  $(patsubst 07_cuda/%.cu,%,$(wildcard 07_cuda/rung*.cu)))): \
  $(PTX_GPU)/%.o: 07_cuda/%.cu
	$(Q)sh 07_cuda/host/nvcc.sh $< $@
endif

-include $(wildcard $(PTX)/*.d $(PTX_GPU)/*/*.d)

.PHONY: ptx-programs
ptx-programs:
	@$(MAKE) --no-print-directory NVCC='$(PTX_NVCC)' GPU=$(PTX_GPU) \
	    NVCC_ARCH=compute_$(PTX_ARCH) \
	    FOR_HOPPER='$(PTX_HOPPER)' $(PTX_TESTS)

## ptx-check       interpret nvcc's PTX of the GPU tests (CARD=t4: as a T4)
ptx-check:
	@if command -v $(NVCC) >/dev/null; then \
	    $(MAKE) --no-print-directory -j2 $(PTX_LIB) $(PTX)/gallery ptx-programs && \
	    sh tools/emulator/ptx_interpreter/ptx_check.sh $(abspath $(PTX)) $(PTX_GPU) $(if $(SHORT),short,all); \
	 else echo "ptx-check: left out, nvcc is not installed"; fi
	@echo "next: open docs/ptx_witness.md"

## ptx-run         run FILE=x.cu on the PTX interpreter (CARD=t4: as a T4)
ptx-run:
	@! command -v $(NVCC) >/dev/null || \
	    $(MAKE) --no-print-directory -s $(PTX_LIB)
	@NVCC='$(NVCC)' sh tools/emulator/ptx_interpreter/ptx_run.sh $(abspath $(PTX)) "$$FILE"
	@echo "next: open docs/ptx_witness.md"
