# cuda_on_cpu.mk: compiles CUDA kernels for the CPU (docs/cuda_on_cpu.md).
# The top-level Makefile includes it. To use it alone, at the top of the project:
#   make -f tools/emulator/cuda_on_cpu/cuda_on_cpu.mk cuda-bugs
#
# For makefiles that compile kernels:
#   $(CU)/NAME.o            the object of NAME.cu of 07_cuda or of the emulator, with
#                           hooks
#   $(CUDA_ON_CPU_LIB)      the emulator, a prerequisite of every program
#   $(CUDA_ON_CPU_LINK)     links $@ from the .o and .a files of $^

BUILD ?= build
Q ?= $(if $(V),,@)
EMU = tools/emulator/cuda_on_cpu
CU = $(BUILD)/07_cuda/cpu
CUDA_ON_CPU_LIB = $(BUILD)/07_cuda/libcuda_on_cpu.a

# The emulator itself is ordinary C++.
EMU_WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
               $(if $(STRICT),-Werror)
EMU_CXX = $(CXX) -std=c++17 -g -O3 $(EMU_WARNINGS) -DCUDA_ON_CPU -I. \
          -Itools/emulator/include

# Kernels are compiled without strict aliasing, as with nvcc, since casts to float4
# violate its rules. addr2line reads DWARF 4 best.
# flags.sh prints the flags for hooks, which depend on the compiler.
CU_CXX = $(CXX) -std=c++17 -gdwarf-4 -O2 -Wall -Wextra -Wno-unknown-pragmas -Wno-psabi \
         -fno-strict-aliasing -fno-threadsafe-statics -DCUDA_ON_CPU -I. \
         -I$(EMU)/include -Itools/emulator/include
HOOKS = $$(cat $(BUILD)/07_cuda/hooks 2>/dev/null)

# The compiler may copy a struct by a call of memcpy. --wrap makes it call a hook.
CUDA_ON_CPU_LINK = $(CXX) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
                   -Wl,--wrap=memcpy,--wrap=memset,--wrap=memmove -lm

EMU_OBJECTS := $(patsubst $(EMU)/%.cpp,$(BUILD)/$(EMU)/%.o, \
                 $(wildcard $(EMU)/*.cpp $(EMU)/*/*.cpp))

# --- Building ----------------------------------------------------------------

# These two files are written only when the compiler or its flags change.
$(BUILD)/07_cuda/flags: FORCE
	@mkdir -p $(@D)
	@command -v $(firstword $(CXX)) >$(@D)/cxx || { echo "$(CXX): no such\
	 C++ compiler; kernels on the CPU need g++ or clang++" >&2; exit 1; }
	@echo '$(EMU_CXX) $(CU_CXX)' | cmp -s - $@ || \
	 echo '$(EMU_CXX) $(CU_CXX)' >$@
$(BUILD)/07_cuda/hooks: $(BUILD)/07_cuda/flags $(EMU)/flags.sh
	@sh $(EMU)/flags.sh $(firstword $(CXX)) >$@
.PHONY: FORCE

$(BUILD)/$(EMU)/%.o: $(EMU)/%.cpp $(BUILD)/07_cuda/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(Q)$(EMU_CXX) -MMD -MP -c $< -o $@

$(CUDA_ON_CPU_LIB): $(EMU_OBJECTS)
	$(call say,archive,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Writes a .cpp file next to the object, with kernel<<<...>>>(...) as a call.
define compile_cu
@mkdir -p $(@D)
$(call say,compile,$<)
$(Q){ echo '#line 1 "$<"'; sed -E -f $(EMU)/cu2cpp.sed $<; } >$(@:.o=.cpp)
$(Q)$(CU_CXX) -I$(<D) $(HOOKS) -MMD -MP -c $(@:.o=.cpp) -o $@
endef
$(CU)/%.o: 07_cuda/%.cu $(EMU)/cu2cpp.sed $(BUILD)/07_cuda/hooks
	$(compile_cu)
$(CU)/tools/%.o: tools/%.cu $(EMU)/cu2cpp.sed $(BUILD)/07_cuda/hooks
	$(compile_cu)

-include $(wildcard $(BUILD)/$(EMU)/*.d \
           $(BUILD)/$(EMU)/*/*.d $(CU)/*.d $(CU)/*/*.d $(CU)/*/*/*.d $(CU)/*/*/*/*.d $(CU)/*/*/*/*/*.d)

# --- Tests and the gallery ---------------------------------------------------

EMU_TESTS := $(patsubst tools/%.cu,$(CU)/tools/%, \
               $(wildcard $(EMU)/tests/test_*.cu))
EMU_BUGS := $(patsubst tools/%.cu,$(CU)/tools/%.o,$(sort $(wildcard $(EMU)/bugs/*.cu)))

EMU_EXIT = $(CU)/$(EMU)/tests/exit
EMU_PROGRAMS := $(EMU_TESTS) $(EMU_EXIT) \
                $(addprefix $(BUILD)/07_cuda/,cuda-bugs cuda-demo cuda-first)

$(EMU_TESTS) $(EMU_EXIT): %: %.o
$(BUILD)/07_cuda/cuda-bugs: $(EMU_BUGS)
$(BUILD)/07_cuda/cuda-first: $(CU)/tools/emulator/cuda_on_cpu/first_kernels.o
$(BUILD)/07_cuda/cuda-demo: $(CU)/tools/emulator/cuda_on_cpu/demo.o
$(EMU_PROGRAMS): $(CUDA_ON_CPU_LIB)
	$(call say,link   ,$@)
	$(Q)$(CUDA_ON_CPU_LINK)

# Pages contain the output of these programs.
WOVEN += $(addprefix $(BUILD)/07_cuda/,cuda-bugs cuda-demo cuda-first)

## cuda-first      run the first kernels of docs/cuda_in_one_page.md
cuda-first: $(BUILD)/07_cuda/cuda-first
	@$<

## cuda-demo       print a kernel's report: bytes, barriers, bank conflicts
cuda-demo: $(BUILD)/07_cuda/cuda-demo
	@CUDA_ON_CPU=full $<
	@echo "next: make cuda-bugs"

## cuda-bugs       print mistakes in kernels and the emulator's reports
cuda-bugs: $(BUILD)/07_cuda/cuda-bugs
	@$<
	@echo "next: open docs/cuda_on_cpu.md"

## test-cuda-on-cpu test the emulator itself
test-cuda-on-cpu: $(EMU_TESTS) $(EMU_EXIT) \
		$(BUILD)/07_cuda/cuda-bugs
	@for t in $(EMU_TESTS); do $$t || exit 1; done
	@for seed in 1 2 3 4 5 6; do CUDA_ON_CPU_SEED=$$seed \
	 $(CU)/tools/emulator/cuda_on_cpu/tests/test_hopper >/dev/null || exit 1; done
	@sh $(EMU)/tests/test_exit.sh $(EMU_EXIT)
	@$(BUILD)/07_cuda/cuda-bugs --quiet
	@echo "next: make cuda-bugs"
