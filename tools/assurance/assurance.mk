# The attack on the programs, kept: docs/assurance.md. Needs setup.sh --dev.

# What is attacked: the kernels of 01 to 06, what they are made of, the reader
# of files, what programs are asked, and the rungs.
KERNELS := $(filter-out %/program.c %/steps.c %trace.c %_loss.c,$(filter \
             0%,$(STEPS) $(TARGETED)))
RUNGS := $(sort $(wildcard 07_cuda/rung*.cu))
REQUEST := $(filter common/npy/% common/problem/% common/program/%,$(COMMON))
FILES = $(KERNELS) $(wildcard common/*.c) \
        $(REQUEST) $(RUNGS)

## assurance-mutants  change the steps in small ways: does a test notice (hours)
.PHONY: assurance-mutants assurance-sample assurance-faults mutants
EVERY = 1
MUTANTS = $(MAKE) --no-print-directory BUILD=$(BUILD)/mutants OPT='-O1 -w' \
          TARGETS=native MPICC=none
assurance-mutants: need-cmocka need-python3
	@$(MUTANTS) mutants
	@echo "next: open docs/assurance.md"

# The same few changes each time, of all kernels but the fast ones, done anew.
assurance-sample: need-cmocka need-python3
	@rm -rf $(BUILD)/mutants/verdicts
	@$(MUTANTS) NO_CUDA=1 RUNGS= EVERY='110 -s 7' \
	 FILES='$(filter-out 06_flash2/fast/%,$(KERNELS))' mutants

# With all tests built, and seen to pass.
NOTICING = $(filter-out $(LAB_TESTS:%.c=$(BUILD)/%),$(ALL_TESTS))
mutants: $(NOTICING:=.passes) $(BUILD)/all.a
	@COMPILE="$(CPPFLAGS) $(CFLAGS) -DTARGETS=X(native) $(OPENMP)" \
	 NATIVE="$$(cat $(BUILD)/native)" CU_COMPILE="$(CU_CXX) $(HOOKS)" \
	 CU_LINK='$(CXX) -Wl,--wrap=memcpy,--wrap=memset,--wrap=memmove' \
	 LIBS="$(wildcard $(CUDA_ON_CPU_LIB)) $(LDLIBS) -ldl $(CMOCKA_LIBS) \
	 $(OPENMP)" sh tools/assurance/mutants.sh -e $(EVERY) $(FILES)
$(BUILD)/%.passes: $(BUILD)/%
	@OMP_WAIT_POLICY=passive $< >$@.log 2>&1 || { cat $@.log; exit 1; }
	@touch $@
$(BUILD)/all.a: $(STEPS_O) $(FOR_TESTS:%.c=$(BUILD)/%.o) \
		$(COMMON:%.c=$(BUILD)/%.o) \
		$(filter $(BUILD)/common/%,$(TARGETED_O)) \
		$(if $(RUNGS),$(ON_CPU) $(call fp8_model,$(CU)))
	$(Q)rm -f $@ && $(AR) rcs $@ $^

## assurance-coverage lines and branches that no test reaches (gcov)
.PHONY: assurance-coverage covered
assurance-coverage: need-cmocka need-python3
	@rm -rf $(BUILD)/coverage
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage NO_CUDA=1 \
	 MPICC=none TARGETS=native FAST=-O0 \
	 OPT='-O0 --coverage -fprofile-update=atomic -Dalways_inline=unused' covered
	@echo "next: open docs/assurance.md"
COVERED = $(patsubst %.c,$(BUILD)/%.gcda,$(filter-out $(TARGETED),$(KERNELS)) \
  common/scores.c common/memory.c $(wildcard common/npy/*.c)) \
  $(patsubst %.o,%.gcda,$(filter $(BUILD)/0%,$(TARGETED_O)))
covered: $(NOTICING:=.passes)
	@gcov -t -j -b $(COVERED) | python3 tools/assurance/coverage.py

## assurance-faults   each allocation, open, read, write, close fails in turn
assurance-faults: need-strace
	@sh tools/assurance/faults.sh
	@echo "next: open docs/assurance.md"

## assurance-fuzz     made-up files, command lines, problems, SECONDS of each
.PHONY: assurance-fuzz
SECONDS = 600
assurance-fuzz: need-clang need-numpy $(BUILD)/fuzz/fuzz \
		$(filter-out $(BUILD)/07%,$(PROGRAMS))
	@sh tools/assurance/fuzz.sh $(BUILD)/fuzz $(SECONDS)
	@for p in build/venv/bin/python python3 /usr/bin/python3; do \
	 $$p -c 'import numpy' 2>/dev/null && break; done; \
	 $$p tools/assurance/end_to_end.py $(BUILD) $(SECONDS) $(SEED)
	@echo "next: open docs/assurance.md"
$(BUILD)/fuzz/fuzz: tools/assurance/fuzz.c \
		$(filter-out common/speed/% common/lesson/%,$(COMMON))
	@mkdir -p $(@D)
	$(call say,link   ,$@)
	$(Q)clang -D_GNU_SOURCE -I. -std=c11 -g -O1 -fno-sanitize-recover=all \
		-fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)

## assurance-builds   32 bits, big-endian, musl, ThreadSanitizer (half an hour)
.PHONY: assurance-builds assurance-scale
assurance-builds:
	@sh tools/assurance/builds.sh $(BUILDS)
	@echo "next: open docs/assurance.md"

## assurance-scale    K and V of more than 2^32 elements (ten minutes)
assurance-scale: $(BUILD)/tools/assurance/scale
	@$<
	@echo "next: open docs/assurance.md"
$(BUILD)/tools/assurance/scale: $(BUILD)/tools/assurance/scale.o $(STEPS_A) \
		$(ARCHIVES) | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(LINK)

## assurance-static   what cppcheck and gcc's analyser find
# Meant: ln 0 is -inf. What is not initialised valgrind finds, with fewer errors.
.PHONY: assurance-static
LOOKED_AT = $(filter-out 06_flash2/ring/%,$(STEPS) $(COMMON))
assurance-static: need-cppcheck
	@cppcheck -q --enable=warning,performance,portability --std=c11 -I. \
	 --error-exitcode=1 --suppress=invalidFunctionArg --suppress=uninitvar \
	 $(LOOKED_AT)
	@for f in $(LOOKED_AT); do gcc $(CPPFLAGS) -std=c11 -O1 -Werror \
	 -fanalyzer -Wno-analyzer-use-of-uninitialized-value -DTARGET=native \
	 '-DTARGETS=X(native)' -c $$f -o /dev/null || exit 1; done
	@echo "$(words $(LOOKED_AT)) passed, 0 failed"
