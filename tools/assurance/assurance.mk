# assurance.mk: targets that try small changes of the sources, failed system calls and
# random input (docs/assurance.md). They need the programs of setup.sh --dev.

# FILES lists the files to change. bf16_heads.c is left out, because its test is too slow
# without AMX (mutants.sh). precision_loss.c is left out, because docs-check compares its
# tables with the page.
KERNELS := $(filter-out tools/flash/% %/bf16_heads.c %/precision_loss.c \
             %/steps.c %trace.c,$(STEP_FILES) $(FAST_06))
RUNGS := $(wildcard 07_cuda/rung*.cu 07_cuda/tile/*h 07_cuda/*/b[1-9]*.cu)
FILES = $(KERNELS) $(wildcard common/*.c) $(RUNGS) \
        $(filter common/npy/%,$(COMMON))
.PHONY: mutants assurance-sample fuzz-files fuzz-problems

## assurance-mutants check that a test fails for small changes (hours)
# With N=3 three random changes of each file count. SEED=NAME repeats the choice.
MUTANTS = $(MAKE) --no-print-directory TARGETS=native MPICC=none
assurance-mutants: export SEED := $(or $(SEED),$(shell date +%s))
assurance-mutants: need-cmocka need-python3
	@$(if $(N),echo "SEED=$$SEED")
	@$(MUTANTS) mutants
	@echo "next: open docs/assurance.md"

# Tries one change of each kernel, except the fast ones. `make check` runs this target.
assurance-sample: need-cmocka need-python3
	@rm -rf $(BUILD)/mutants/verdicts
	@SEED=1 $(MUTANTS) N=1 NO_CUDA=1 RUNGS= \
	 FILES='$(filter-out 06_flash2/fast/%,$(KERNELS))' mutants

mutants: $(ALL_TESTS:=.o) $(if $(RUNGS),$(CUDA_ON_CPU_LIB)) $(BUILD)/mutants/all.a \
		$(BUILD)/openmp
	@COMPILE="$(CPPFLAGS) $(CFLAGS) -O1 -g0 -w -DTARGETS=X(native) $(OPENMP)" \
	 NATIVE="$$(cat $(BUILD)/native)" CU_COMPILE="$(CU_CXX) $(HOOKS)" \
	 CU_LINK='$(CXX) -Wl,--wrap=memcpy,--wrap=memset,--wrap=memmove' \
	 LIBS="$(wildcard $(CUDA_ON_CPU_LIB)) $(LDLIBS) -ldl $(CMOCKA_LIBS) \
	 $(OPENMP)" sh tools/assurance/mutants.sh $(FILES)
$(BUILD)/mutants/all.a: $(patsubst %.c,$(BUILD)/%.o,$(STEP_FILES) $(FOR_TESTS) $(COMMON)) \
		$(FAST_06_O) $(COMMON_FAST_O) $(if $(RUNGS),$(ON_CPU) $(call fp8_model,$(CU)))
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

## assurance-faults let each system call for files fail once, in turn
assurance-faults: need-strace $(FLASH)
	@sh tools/assurance/faults.sh $(BUILD)
	@echo "next: open docs/assurance.md"

## assurance-fuzz  try random files and problems, SECONDS=600 for each
# libFuzzer stores inputs in $(FUZZ)/npy, and the next run begins with them.
SECONDS = 600
FUZZ = $(BUILD)/fuzz
assurance-fuzz: fuzz-files fuzz-problems
	@echo "next: open docs/assurance.md"
fuzz-files: need-clang $(FUZZ)/fuzz $(FLASH)
	@$(FLASH) attention --n 2 --d 3 --out $(FUZZ)/npy/first >/dev/null
	@cd $(FUZZ) && ./fuzz npy -max_total_time=$(SECONDS) -max_len=4000 \
	 -timeout=10 -rss_limit_mb=4096 -close_fd_mask=1 -verbosity=0 \
	 -print_final_stats=1 >log 2>&1 || { cat log; exit 1; }
	@sed -n "s/.*executed_units: *\(.*\)/files: \1 inputs/p" $(FUZZ)/log
fuzz-problems: need-numpy $(FLASH)
	@for p in build/venv/bin/python python3 /usr/bin/python3; do \
	 $$p -c 'import numpy' 2>/dev/null && break; done; \
	 $$p tools/assurance/end_to_end.py $(BUILD) $(SECONDS) $(SEED)
$(FUZZ)/fuzz: tools/assurance/fuzz.c common/precision.c \
		$(wildcard common/npy/*.c common/print/*.c)
	@mkdir -p $(FUZZ)/npy
	$(call say,link   ,$@)
	$(Q)clang -D_GNU_SOURCE -I. -std=c11 -g -O1 -fno-sanitize-recover=all \
		-fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)

