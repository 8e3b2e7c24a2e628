# 07_cuda.mk: builds chapter 07 twice: with the emulator in $(CU), by rules of
# cuda_on_cpu.mk, and by nvcc in $(GPU). The top-level Makefile includes this file. Only
# the targets for a GPU need nvcc.

NVCC = nvcc
EMU_H = -Itools/emulator/include # cuda_on_cpu.h
GPU = $(BUILD)/07_cuda/gpu
LADDER := $(wildcard 07_cuda/rung*_*.cu 07_cuda/backward/b*_*.cu) \
          $(addprefix 07_cuda/,backward/device.cu host/device.cu)
BRIDGE := $(addprefix 07_cuda/host/,ladder.c padded.c steps.c traffic.c) \
          $(addprefix 07_cuda/backward/,steps.c traffic.c)
FOR_LADDER = $(BUILD)/libsteps.a $(ARCHIVES)
LADDER_TESTS := $(patsubst 07_cuda/%.c,$(CU)/%,$(wildcard 07_cuda/tests/test_*.c))

# --- On the CPU --------------------------------------------------------------

ON_CPU = $(patsubst 07_cuda/%.cu,$(CU)/%.o,$(LADDER)) \
         $(patsubst 07_cuda/%.c,$(CU)/%.o,$(BRIDGE))

# Compiles the C files, whose code depends on CUDA_ON_CPU.
define compile_on_cpu
@mkdir -p $(@D)
$(call say,compile,$<)
$(Q)$(CC) $(CPPFLAGS) $(EMU_H) -DCUDA_ON_CPU $(CFLAGS) -MMD -MP -c $< -o $@
endef
$(CU)/%.o: 07_cuda/%.c $(BUILD)/flags
	$(compile_on_cpu)
$(CU)/tools/%.o: tools/%.c $(BUILD)/flags
	$(compile_on_cpu)
$(CU)/lab/%.o: docs/lab/%.c $(BUILD)/flags
	$(compile_on_cpu)

# Rung 7 without one of its parts, for the benchmark and test_counts.
WITHOUT = $(addprefix full_without_,rows_32 exp2 edges skip longest)
$(WITHOUT:%=$(BUILD)/07_cuda/%.cu): $(BUILD)/07_cuda/full_without_%.cu: \
		07_cuda/rung7_full.cu 07_cuda/bench/full_without.sh
	@mkdir -p $(@D)
	@sh 07_cuda/bench/full_without.sh $* >$@.new && mv $@.new $@
$(CU)/bench/%.o: $(BUILD)/07_cuda/%.cu $(EMU)/cu2cpp.sed $(BUILD)/07_cuda/hooks
	$(compile_cu)

# libsteps.a is an archive, from which the linker takes only the objects that a program
# needs. So it takes no object with OpenMP code of a compiler other than $(CXX).
$(BUILD)/libsteps.a: $(patsubst %.c,$(BUILD)/%.o,$(FILES_02) $(FILES_03) $(FILES_05) $(FILES_06) \
		$(FILES_FLASH)) $(FAST_06_O)

# Links the tests, the programs, and the programs for docs/hopper.md.
WOVEN += $(BUILD)/docs/lab/schedule
fp8_model = $(addprefix $(1)/fp8/fp8_,model.o model_quantise.o)
$(LADDER_TESTS:%=%.o): CFLAGS += $(CMOCKA_FLAGS)
$(LADDER_TESTS:%=%.o): | $(BUILD)/cmocka
$(LADDER_TESTS): LIBS = $(FOR_LADDER) $(CMOCKA_LIBS)
$(LADDER_TESTS): %: %.o $(BUILD)/libtest.a
$(CU)/tests/test_fp8: $(call fp8_model,$(CU))
$(CU)/tests/test_counts: $(CU)/tests/addresses.o $(WITHOUT:%=$(CU)/bench/%.o)
$(CU)/run: $(addprefix $(CU)/,main.o host/table.o)
$(CU)/backward/run: $(CU)/backward/main.o
$(CU)/flash: $(CU)/tools/flash/cuda_steps.o $(BUILD)/tools/flash/main.o
$(BUILD)/docs/lab/schedule: $(CU)/lab/schedule.o
$(BUILD)/docs/lab/fp8_error: $(CU)/lab/fp8_error.o $(call fp8_model,$(CU))
# Rung 10 with a log of its waits. docs/hopper.md has a picture of the log.
LOGGED = $(CU)/lab/logged_pingpong.o
$(LOGGED): HOOKS += -include docs/lab/logged.h
$(LOGGED): 07_cuda/rung10_pingpong.cu docs/lab/logged.h $(EMU)/cu2cpp.sed \
		$(BUILD)/07_cuda/hooks
	$(compile_cu)
$(BUILD)/docs/lab/pipeline: $(CU)/lab/pipeline.o $(LOGGED) $(call fp8_model,$(CU))
$(BUILD)/07_cuda/sass/launches: $(CU)/tools/emulator/sass/launches.o
$(LADDER_TESTS) $(CU)/run $(CU)/backward/run $(CU)/flash $(BUILD)/07_cuda/sass/launches \
$(CUDA_LAB:%.c=$(BUILD)/%): \
		$(ON_CPU) $(FOR_LADDER) $(CUDA_ON_CPU_LIB) | $(BUILD)/openmp
	@mkdir -p $(@D)
	$(call say,link   ,$@)
	$(Q)$(CUDA_ON_CPU_LINK) $(LIBS) $(OPENMP)

## fp8-error       the error of rung 11's e4m3, compared with float64
WOVEN += $(BUILD)/docs/lab/fp8_error
fp8-error: $(BUILD)/docs/lab/fp8_error
	@$<
	@echo "next: open docs/hopper.md"

## test-rounding   the rungs' tests with a GPU's rounding (minutes)
test-rounding: $(addprefix $(CU)/tests/test_,ladder fp8 hopper)
	@CUDA_ON_CPU_ROUND=hardware sh tools/test.sh $(filter-out %/test_hopper,$^)
	@CUDA_ON_CPU_ROUND=hardware ONLY='shapes_*' sh tools/test.sh \
	    $(CU)/tests/test_hopper
	@echo "next: open docs/cuda_on_cpu.md"

## test-long       all problems of the rungs' tests (minutes)
test-long: $(addprefix $(CU)/tests/test_,ladder hopper backward_rungs)
	@TEST_LONG=1 sh tools/test.sh $^
	@echo "next: open docs/cuda_on_cpu.md"

# --- On a GPU ----------------------------------------------------------------

# The programs share the rungs in libladder.so. A build can be copied to a machine with
# a GPU. Libraries that the machine may lack are linked statically or copied next to
# libladder.so. Only profile-07 sets LINEINFO=-lineinfo: the build is three times as large.

# sm_NN; by default that of this machine's GPU, which a script finds once.
NVCC_ARCH = $(eval NVCC_ARCH := $$(or $$(shell NVCC='$(NVCC)' sh \
              07_cuda/host/gpu_arch.sh),$$(error NVCC_ARCH: no GPU here; use \
              NVCC_ARCH=sm_NN)))$(NVCC_ARCH)
NVCC_FLAGS = -O3 -std=c++17 -Xcompiler -fPIC -I. $(EMU_H) $(LINEINFO)
NVCC_FOR = -arch=$(NVCC_ARCH)
ON_GPU = $(addprefix $(GPU)/,host/device.o backward/device.o) \
         $(patsubst 07_cuda/%.c,$(GPU)/%.o,$(BRIDGE)) $(GPU)/libladder.so
NVCC_LINK = $(NVCC) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
            $(filter %.so,$^) -lm -Xlinker -Bstatic -lgomp \
            -Xlinker -Bdynamic -ldl $(foreach d,. .., \
            -Xlinker -rpath='$$ORIGIN/$(d)')

# Rungs that NVCC_ARCH cannot run are not compiled for it. Their functions return error
# 209 (no kernel image). gpu-check and chapter-07 set ANYHOW=1. Then the functions of a
# rung that nvcc fails to compile return error 209, too.
AMPERE := $(wildcard 07_cuda/rung[5-7]*.cu 07_cuda/backward/b3_*.cu) \
          $(WITHOUT:%=$(BUILD)/07_cuda/%.cu)
HOPPER := $(wildcard 07_cuda/rung[89]_*.cu 07_cuda/rung1[0-2]_*.cu \
            07_cuda/backward/b4*_*.cu)
LACKING = $(if $(filter %_75,$(NVCC_ARCH)),$(AMPERE)) \
          $(if $(filter-out sm_90,$(filter sm_%,$(NVCC_ARCH)))$(BEFORE_12_6),$(HOPPER))
# Not empty if nvcc is too old for Hopper's rungs (ptx_hopper_gpu.h).
BEFORE_12_6 = $(eval BEFORE_12_6 := $$(shell $(NVCC) --version 2>&1 | \
                grep -o 'release 12\.[0-5],'))$(BEFORE_12_6)

# bench/repeat_2 to repeat_4 are linked with the Hopper rungs with random delays and 2
# to 4 stages (tile/shake.cuh), because racecheck does not support TMA.
FOR_HOPPER = -gencode=arch=compute_90a,code=sm_90a # only sm_90a has wgmma
$(HOPPER:07_cuda/%.cu=$(GPU)/%.o): NVCC_FOR = $(FOR_HOPPER)
CUDA_HEADERS := $(wildcard 07_cuda/*.h 07_cuda/*/*.h 07_cuda/*/*.cuh)
# Changes if the objects were compiled for another card. run.sh reads it, too.
$(GPU)/arch: FORCE
	@mkdir -p $(@D) && echo '$(NVCC_ARCH)' | cmp -s - $@ || echo '$(NVCC_ARCH)' >$@
define compile_by_nvcc
@mkdir -p $(@D)
$(if $(filter $<,$(LACKING)),,$(call say,nvcc   ,$@))
$(Q)ANYHOW='$(ANYHOW)' sh 07_cuda/host/nvcc.sh $< $@ $(if $(filter $<,$(LACKING)),, \
    $(NVCC) $(NVCC_FLAGS) $(NVCC_FOR) -c $< -o $@)
endef
$(GPU)/%.o: 07_cuda/%.cu $(CUDA_HEADERS) $(GPU)/arch
	$(compile_by_nvcc)
$(GPU)/bench/%.o: $(BUILD)/07_cuda/%.cu $(CUDA_HEADERS) $(GPU)/arch
	$(compile_by_nvcc)
define shaken
$(GPU)/shaken_$(1)/%.o: NVCC_FOR = $(FOR_HOPPER) -DSHAKE=$(1)
$(GPU)/shaken_$(1)/%.o: 07_cuda/%.cu $(CUDA_HEADERS) $(GPU)/arch
	$$(compile_by_nvcc)
endef
$(foreach n,2 3 4,$(eval $(call shaken,$(n))))

define compile_for_gpu
@mkdir -p $(@D)
$(call say,compile,$<)
$(Q)$(CC) $(CPPFLAGS) $(EMU_H) $(CFLAGS) $(CMOCKA_FLAGS) -MMD -MP -c $< -o $@
endef
$(GPU)/%.o: 07_cuda/%.c $(BUILD)/flags
	$(compile_for_gpu)
$(GPU)/tools/%.o: tools/%.c $(BUILD)/flags
	$(compile_for_gpu)

GPU_TESTS = $(patsubst %,$(GPU)/tests/test_%,ladder hopper fp8 backward_rungs)
REPEATED = $(addprefix $(GPU)/bench/repeat,_2 _3 _4)
BENCHES = $(addprefix $(GPU)/bench/,bench repeat)
ON_A_GPU = $(GPU_TESTS) $(GPU)/run $(GPU)/backward/run $(GPU)/flash $(BENCHES) $(REPEATED)
$(GPU_TESTS): LIBS = $(FOR_LADDER) $(CMOCKA_LIBS)
$(GPU_TESTS): %: %.o $(BUILD)/libtest.a
$(GPU)/tests/test_fp8: $(call fp8_model,$(GPU))
$(GPU)/run: $(GPU)/main.o
$(GPU)/backward/run: $(GPU)/backward/main.o
$(GPU)/flash: $(GPU)/tools/flash/cuda_steps.o $(BUILD)/tools/flash/main.o
$(GPU)/bench/bench: $(addprefix $(GPU)/bench/,exact.o matmul.o $(WITHOUT:%=%.o))
$(BENCHES): %: %.o $(GPU)/bench/timing.o
# The linker takes the rungs in shaken_*/ before those of libladder.so.
$(REPEATED): $(addprefix $(GPU)/bench/,repeat.o timing.o)
$(foreach n,2 3 4,$(eval $(GPU)/bench/repeat_$(n): \
  $(HOPPER:07_cuda/%.cu=$(GPU)/shaken_$(n)/%.o)))
$(ON_A_GPU): $(ON_GPU) $(FOR_LADDER)
	$(call say,link   ,$@)
	$(Q)$(NVCC_LINK) $(LIBS)
	$(Q)$(if $(LIBS),cp "$$($(CC) -print-file-name=libcmocka.so.0)" $@.cmocka && \
		mv $@.cmocka $(GPU)/libcmocka.so.0)

$(GPU)/libladder.so: $(patsubst 07_cuda/%.cu,$(GPU)/%.o, \
		$(filter 07_cuda/rung% 07_cuda/backward/b%,$(LADDER)))
	$(call say,link   ,$@)
	$(Q)$(NVCC) -shared -Xlinker -soname=$(@F) -o $@ $^

-include $(wildcard $(GPU)/*.d $(GPU)/*/*.d)

# --- The program -------------------------------------------------------------

# ./run is a script that starts the GPU's program or the CPU's program. The GPU's
# program is built only if this machine has nvcc and a GPU that fit.
$(addprefix $(BUILD)/07_cuda/,run backward/run flash): $(BUILD)/07_cuda/%: \
		07_cuda/host/run.sh $(CU)/% FORCE
	@MAKE='$(MAKE)' NVCC='$(NVCC)' GPU='$(GPU)' sh 07_cuda/host/for_gpu.sh $*
	@mkdir -p $(@D) && cmp -s $< $@ || { cp $< $@ && chmod +x $@; }

## flash-cuda      ./flash-cuda: the rungs on your own arrays
flash-cuda: $(BUILD)/07_cuda/flash
	$(call link,$@)
	@echo "next: ./flash-cuda --help"
backward-07: $(BUILD)/07_cuda/backward/run
	$(call link,run)
	@echo "next: ./run"

## gpu-check       on a GPU: measure it (PART=contract, races, bench, all)
RESULTS = $(BUILD)/gpu-check
TABLES = docs/results
gpu-check:
	@MAKE='$(MAKE)' NVCC='$(NVCC)' GPU='$(GPU)' TABLES='$(TABLES)' \
	 SMALL='$(SMALL)' sh 07_cuda/bench/gpu_check.sh '$(RESULTS)' $(PART)
	@echo "next: make docs"
	@echo "then: add a table to docs/results/README.md"

## profile-07      a rung's counters in ncu next to its counts (RUNG=7)
profile-07: $(CU)/run
	@MAKE='$(MAKE)' NVCC='$(NVCC)' sh 07_cuda/bench/profile.sh $(GPU)_lines $< "$$RUNG"
	@echo "next: open docs/machine_code.md"

## gpu-stand-ins   GPU commands on simulated cards (CARDS=t4: on one)
CARDS = v100 t4 a100 rtx3060 rtx4090 b200 rtx5090 h100
gpu-stand-ins:
	@if command -v $(NVCC) >/dev/null; then \
	    $(MAKE) --no-print-directory $(PTX_LIB) && \
	    NVCC='$(NVCC)' GPU_LIBRARY='$(abspath $(dir $(PTX_LIB)))' \
	    sh 07_cuda/bench/stand_ins.sh $(CARDS); \
	 else echo "gpu-stand-ins: skipped, nvcc is not installed"; fi
	@echo "On a machine with a GPU:"
	@echo "next: make gpu-check"

## gpu-build       build gpu-check, to copy to a GPU (NVCC_ARCH=sm_90)
.PHONY: on-a-gpu
on-a-gpu: $(ON_A_GPU)
gpu-build: $(ON_A_GPU)
	@strip --strip-debug $(ON_A_GPU) $(GPU)/libladder.so
	@find $(GPU) -type f ! -name '*.[od]' >$(GPU).files
	@echo "$$(tar -cf - -T $(GPU).files | wc -c | awk '{ print int($$1 / 1e6) }') MB"
	@echo "next: tar -czf build.tar.gz -T $(GPU).files"
.SECONDARY: $(ON_A_GPU:%=%.o)

## gpu-link        link the GPU's programs, unoptimised (no GPU needed)
gpu-link:
	@$(MAKE) --no-print-directory GPU=$(GPU)_linked NVCC_ARCH=compute_80 \
		FOR_HOPPER=-gencode=arch=compute_90a,code=compute_90a \
		NVCC_FLAGS='$(NVCC_FLAGS) -Xcicc -O0' on-a-gpu
	@echo "next: make gpu-build"
	@echo "then: copy it to a machine with a GPU"

## nvcc-check      compile every kernel by nvcc: no spills (no GPU needed)
nvcc-check:
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh 07_cuda/bench/nvcc_check.sh \
	 $(filter-out $(HOPPER),$(LADDER))
	@echo "next: make nvcc-hopper"

## nvcc-hopper     compile the Hopper rungs: no spills, none serialised
nvcc-hopper:
	@ARCHS=sm_90a NVCC='$(NVCC)' BUILD='$(BUILD)' \
	 sh 07_cuda/bench/nvcc_check.sh $(HOPPER)
	@echo "next: open docs/hopper.md"

# --- The exercises ------------------------------------------------------------
# tools/exercise_lib.sh compiles and links exercises with the same commands as above.

exercise-07 watch-07 grade-07 solution-07 check-exercises check-grade check-class \
$(BUILD)/grade/%/made $(BUILD)/grade/made \
$(if $(wildcard work/07/*.cu),progress): \
EXERCISE_CUDA = CU2CPP='$(EMU)/cu2cpp.sed' CU_COMPILE="$(filter-out -I.,$(CU_CXX)) \
                -Itools/emulator/cuda_check/include $(HOOKS)" \
                CU_LINK='$(CXX) -Wl,--wrap=memcpy,--wrap=memset,--wrap=memmove' \
                CU_LIBS='$(CUDA_ON_CPU_LIB)'

# LEFT_OUT is the reason why these targets are skipped, or empty (tools/machine.mk).
ifeq ($(LEFT_OUT),)
# These targets are built without sanitizers.
exercise-07 watch-07 solution-07 grade-07 check-exercises \
$(if $(wildcard work/07/*.cu),progress): $(FOR_EXERCISES)
exercise-07 watch-07 grade-07 check-exercises $(BUILD)/grade/made: $(CUDA_ON_CPU_LIB) \
		$(BUILD)/07_cuda/hooks
test-07: $(LADDER_TESTS)
CUDA_TESTS = $(LADDER_TESTS)
chapter-07: $(BUILD)/07_cuda/run
CUDA_PROGRAMS = $(addprefix $(BUILD)/07_cuda/,run backward/run)
$(BUILD)/tools/test_programs: | $(CUDA_PROGRAMS)
endif
