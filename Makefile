# FlashAttention, one step at a time. `make` alone lists what there is to do.
#
# Everything made lies in $(BUILD); only ./run (a link to the chapter at hand),
# work/ (a learner's exercises) and docs/plots/ lie outside it.
# `make CC=clang`, `make OPT=-O0` and the like rebuild what they must;
# `make V=1` shows the commands.

CC = cc
BUILD = build
OPT = -O2 -g
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
           -Wdouble-promotion -Werror
CFLAGS = -std=c11 $(OPT) $(WARNINGS)
CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I. -MMD -MP
LDLIBS = -lm

Q = $(if $(V),,@)
say = @echo "  $(1) $(patsubst $(BUILD)/%,%,$(2))"

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:

# --- What there is -----------------------------------------------------------

CHAPTERS := $(sort $(patsubst %/,%,$(dir $(wildcard 0[1-7]_*/main.c* \
              0[1-7]_*/test_*.c))))
NUMBERS := $(foreach c,$(CHAPTERS),$(firstword $(subst _, ,$(c))))
folder = $(filter $(1)_%,$(CHAPTERS))
tests_of = $(filter $(BUILD)/$(1)_%,$(TESTS))

# Chapter 07 is CUDA and brings its own rules, at the end of this file.
MAINS := $(wildcard 0[1-6]_*/main.c)
CHAPTER_TESTS := $(wildcard 0[1-6]_*/test_*.c)
COMMON_TESTS := $(wildcard common/test_*.c)
STEPS := $(filter-out $(MAINS) $(CHAPTER_TESTS),$(wildcard 0[1-6]_*/*.c))
# What needs CMocka stays apart, so that chapters build without it.
FOR_TESTS := $(filter-out $(COMMON_TESTS),$(wildcard $(addprefix common/, \
             assert_close.c expect_failure.c *_check.c *_contract*.c)))
COMMON := $(filter-out $(COMMON_TESTS) $(FOR_TESTS),$(wildcard common/*.c))

SOURCES = $(MAINS) $(CHAPTER_TESTS) $(COMMON_TESTS) $(STEPS) $(FOR_TESTS) \
          $(COMMON)
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o)
PROGRAMS = $(MAINS:%/main.c=$(BUILD)/%/run)
TESTS = $(COMMON_TESTS:%.c=$(BUILD)/%) $(CHAPTER_TESTS:%.c=$(BUILD)/%)

# --- Building ----------------------------------------------------------------

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

-include $(wildcard $(OBJECTS:.o=.d))

# Rewritten only when compiler or flags changed: then all objects are older.
COMPILER := $(CC) $(CPPFLAGS) $(CFLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILER)' | cmp -s - $@ || echo '$(COMPILER)' >$@
.PHONY: FORCE

# The archives begin anew each time: a renamed file leaves nothing behind.
$(BUILD)/libcommon.a: $(COMMON:%.c=$(BUILD)/%.o)
$(BUILD)/libtest.a: $(FOR_TESTS:%.c=$(BUILD)/%.o)
$(BUILD)/libsteps.a: $(STEPS:%.c=$(BUILD)/%.o)
$(BUILD)/libcommon.a $(BUILD)/libtest.a $(BUILD)/libsteps.a:
	$(call say,archive,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

LINK = $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LDLIBS) $(OPENMP)

$(PROGRAMS): %/run: %/main.o $(BUILD)/libsteps.a $(BUILD)/libcommon.a \
		| $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(LINK)

# A test of common/ sees common/ alone: it knows no chapter.
$(COMMON_TESTS:%.c=$(BUILD)/%): %: %.o $(BUILD)/libtest.a \
		$(BUILD)/libcommon.a | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(LINK) $(CMOCKA_LIBS)

$(CHAPTER_TESTS:%.c=$(BUILD)/%): %: %.o $(BUILD)/libtest.a \
		$(BUILD)/libsteps.a $(BUILD)/libcommon.a | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(LINK) $(CMOCKA_LIBS)

# --- What not every machine has ----------------------------------------------
# Tried out once, by the first target that asks for it, never while parsing.

# CMocka may lie outside the compiler's path (Homebrew): pkg-config knows.
CMOCKA_FLAGS = $$(pkg-config --cflags cmocka 2>/dev/null)
CMOCKA_LIBS = $$(pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)
NEED_CMOCKA = $(CHAPTER_TESTS) $(COMMON_TESTS) $(FOR_TESTS)
$(NEED_CMOCKA:%.c=$(BUILD)/%.o): CFLAGS += $(CMOCKA_FLAGS)
$(NEED_CMOCKA:%.c=$(BUILD)/%.o): | $(BUILD)/cmocka
$(BUILD)/cmocka:
	@mkdir -p $(@D)
	@CC='$(CC)' sh tools/need.sh cmocka
	@touch $@

# Without OpenMP its pragmas are skipped, and the program runs on one thread.
OPENMP = $$(cat $(BUILD)/openmp)
$(BUILD)/openmp:
	@mkdir -p $(@D)
	@CC='$(CC)' sh tools/first_flag.sh -fopenmp -Wno-unknown-pragmas >$@

# --- One step, its own flags -------------------------------------------------
# -march=native and -O3 only where speed is the subject.
# ($(wildcard ...): a rule for a file that is not there would be noise.)

PARALLEL = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(addprefix 06_flash2/, \
           flash2_parallel.c flash2_lanes.c flash2_simd.c split_kv.c) \
           common/heads.c))
FAST = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(addprefix 06_flash2/, \
       flash2_lanes.c flash2_simd.c)))
$(PARALLEL): CFLAGS += $(OPENMP)
$(PARALLEL): | $(BUILD)/openmp
$(FAST): CFLAGS += -O3 -march=native

-include 07_cuda/cuda_on_cpu.mk

# --- Reading and running -----------------------------------------------------
# In a static pattern rule, $$(...) waits until % is known: the chapter's folder.
.SECONDEXPANSION:

## help            list the targets
.PHONY: help
help:
	@echo "FlashAttention, one step at a time. NN is one of: $(NUMBERS)"
	@echo
	@sed -n 's/^## /  make /p' Makefile
	@echo
	@echo "next: make tour"

## chapter-NN      build a chapter; ./run is then its program
.PHONY: $(NUMBERS:%=chapter-%)
$(NUMBERS:%=chapter-%): chapter-%: $(BUILD)/$$(call folder,$$*)/run
	@ln -sfn $< run
	@echo "next: ./run"

## test            run all tests
.PHONY: test
test: $(TESTS)
	@TEST_ONLY='$(ONLY)' sh tools/test.sh $^
	@echo "next: make exercise-$(firstword $(NUMBERS))"

## test-NN         run a chapter's tests (ONLY='big_*': those of that name)
.PHONY: $(NUMBERS:%=test-%)
$(NUMBERS:%=test-%): test-%: $$(call tests_of,$$*)
	@TEST_ONLY='$(ONLY)' sh tools/test.sh $^
	@echo "next: make exercise-$*"

## clean           remove what was built; work/ stays
.PHONY: clean
clean:
	rm -rf $(BUILD) run
	@echo "next: make"

# The chapters that are not there.
chapter-% test-% plot-% diff-% exercise-% hint-% grade-%:
	@echo "$@: there is no chapter $* (there are: $(NUMBERS))" >&2; exit 2
