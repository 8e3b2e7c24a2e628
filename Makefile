# FlashAttention, one step at a time. `make` alone lists the targets.
#
# What is built is in $(BUILD). Only ./run, ./flash and ./flash-cuda (links to
# programs) and work/ (a learner's exercises) are outside it.
# `make V=1` shows the commands; `make CC=clang` builds in build/clang.

CC = cc
COMPILER_NAME = $(notdir $(lastword $(filter-out -%,$(CC))))
BUILD = build$(if $(filter-out cc,$(COMPILER_NAME)),/$(COMPILER_NAME))
# A short loop that crosses two cache lines takes half as long again.
OPT = -O2 -g -falign-functions=64
FAST = -O3 # of the files whose subject is speed
# STRICT=1 turns warnings into errors (for developers).
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
           -Wdouble-promotion -Wframe-larger-than=32000 \
           $(if $(STRICT),-Werror)
CFLAGS = -std=c11 $(OPT) $(WARNINGS)
CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I.
LDLIBS = -lm

# Progress: one line on a terminal, nothing in a file.
Q = $(if $(V),,@)
terminal = [ -t 1 ] && [ "$$TERM" != dumb ]
say = @! { $(terminal); } || printf '\033[K  %s %.60s\r' '$(1)' \
      '$(patsubst $(BUILD)/%,%,$(2))'
clear = @! { $(terminal); } || printf '\033[K'

export CC BUILD MAKE # for tools/*.sh

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:

# Taken from make's command line alone, never from the environment: E=production
# there is something else. Recipes find them in their environment, as they were
# typed: a value in a recipe's text would be executed.
GIVEN = ALL ARGS BC CHAPTER CSV D DIR E FILE FORCE FORMAT INCLUDE N ONLY OUT \
        PUPILS REPEAT ROWS STEP STEPS TO TYPES VARIANT
# A grade depends on them, so there those of the environment are an error.
ifneq ($(filter grade grade-% gradescope,$(MAKECMDGOALS)),)
$(foreach name,CHAPTER CSV DIR E FILE FORMAT OUT VARIANT, \
  $(if $(filter environment,$(origin $(name))),$(if $(value $(name)),$(error \
    $(name): is set in the environment; give it to make: make $(MAKECMDGOALS) \
    $(name)=...))))
endif
$(foreach name,$(GIVEN),$(eval $(name) =))
$(foreach name,$(GIVEN),$(eval override $(name) := $$(value $(name))))
export $(GIVEN)

# --- What this machine can build ---------------------------------------------

# Chapter 07 is CUDA: its kernels run on the CPU if there is a C++ compiler.
LEFT_OUT =
ifneq ($(NO_CUDA),)
LEFT_OUT = chapter 07 left out: NO_CUDA is set
else ifneq ($(shell uname -s),Linux)
LEFT_OUT = chapter 07 left out: without a GPU it needs Linux
else ifeq ($(filter x86_64 amd64 aarch64 arm64,$(shell uname -m)),)
LEFT_OUT = chapter 07 left out: its emulator is for x86-64 and aarch64
else ifeq ($(shell command -v $(firstword $(CXX))),)
LEFT_OUT = chapter 07 left out: no C++ compiler (sh setup.sh installs g++)
else ifneq ($(findstring sanitize,$(OPT)),)
LEFT_OUT = chapter 07 left out: its emulator has its own sanitizer
endif
export LEFT_OUT
NUMBERS = 01 02 03 04 05 06 $(if $(LEFT_OUT),,07)
CHAPTERS := $(foreach n,$(NUMBERS),$(patsubst %/,%,$(wildcard $(n)_*/)))
folder = $(filter $(1)_%,$(CHAPTERS))

# Files whose subject is speed are compiled for this machine, or with PORTABLE=1
# once for each of several targets; the program takes the best that its CPU runs
# (common/speed/targets.h).
PORTABLE_TARGETS := $(if $(filter x86_64 amd64,$(shell uname -m)),avx512 avx2) \
                    base
TARGETS = $(if $(PORTABLE),$(PORTABLE_TARGETS),native)
# The steps on a matrix unit: for AMX and AVX512-BF16 if the compiler has them,
# and in plain C (06_flash2/fast/amx_heads.h).
AVX512_BF16 = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -mfma \
              -mprefer-vector-width=512 -ffp-contract=off
AMX = $(AVX512_BF16) -mamx-tile -mamx-bf16
AMX_TARGETS := $(shell echo | $(CC) $(AMX) -E - >/dev/null 2>&1 && \
                 echo amx vdpbf16) model
CHOICE = '-DTARGETS=$(patsubst %,X(%),$(TARGETS))' \
         '-DAMX_TARGETS=$(patsubst %,X(%),$(AMX_TARGETS))'

# --- common/ -----------------------------------------------------------------

# Chapters 01 to 03 have rows and no heads: their programs link these alone.
ROW_FILES = $(addprefix common/,precision.c judge/errors.c judge/reference.c \
         $(addprefix lesson/,bundled.c cliffs.c options.c)) common/data/random.c \
       $(wildcard common/npy/*.c common/print/*.c)
COMMON := $(wildcard common/*.c common/judge/*.c common/lesson/*.c \
            common/npy/*.c common/print/*.c common/data/*.c) \
          common/speed/peak.c common/speed/targets.c
# What needs CMocka is apart, so that chapters build without it.
FOR_TESTS := $(filter-out common/testing/test_%,$(wildcard common/testing/*.c \
               common/testing/contract/*.c))
FAST_COMMON = common/speed/peak_loops.c
COMMON_FAST_O = $(foreach t,$(TARGETS),$(FAST_COMMON:%.c=$(BUILD)/%.$(t).o))
ROWS_A = $(BUILD)/librows.a
ARCHIVES = $(BUILD)/libheads.a $(ROWS_A)
$(ROWS_A): $(ROW_FILES:%.c=$(BUILD)/%.o)
$(BUILD)/libheads.a: $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(ROW_FILES),$(COMMON))) \
		$(COMMON_FAST_O)
$(BUILD)/libtest.a: $(FOR_TESTS:%.c=$(BUILD)/%.o)

# --- The chapters ------------------------------------------------------------

# What each chapter has, without its programs and tests.
FILES_01 = naive_softmax.c
FILES_02 = safe_softmax.c
FILES_03 = online_softmax.c merged_softmax.c precision_loss.c
FILES_04 = standard_attention.c three_pass_attention.c two_pass_attention.c \
           one_pass_attention.c tiled_attention.c traffic.c trace.c
FILES_05 = flash1.c traffic.c trace.c \
           $(addprefix backward/,standard_backward.c flash1_backward.c \
             traffic.c steps.c)
FILES_06 = flash2_deferred.c flash2.c flash2_parallel.c split_kv.c traffic.c \
           trace.c \
           $(addprefix fast/,fast_steps.c query_blocks.c key_parts.c amx_heads.c) \
           $(addprefix variants/,lazy_rescale.c paged_kv.c mla.c cascade.c \
             flash2_block_mask.c block_mask.c sink.c \
             traffic.c) \
           $(addprefix backward/,flash2_backward.c backward_dq.c \
             backward_dkv.c two_kernel_backward.c flash2_backward_parallel.c \
             simd_heads.c traffic.c steps.c) \
           $(addprefix flash/,flash.c options_table.c user_problem.c steps.c \
             commands.c softmax_command.c attention_command.c \
             backward_command.c judge_command.c judge_errors.c \
             sweep_command.c suspects.c)
# Compiled for each of $(TARGETS).
FAST_06 = fast/flash2_lanes.c fast/flash2_simd.c fast/split_kv_simd.c \
          backward/backward_simd.c
AMX_06 = fast/flash2_amx_plain.c fast/flash2_amx_overlap.c fast/flash2_amx.c

STEPS_01 = $(FILES_01:%.c=$(BUILD)/01_naive_softmax/%.o)
STEPS_02 = $(FILES_02:%.c=$(BUILD)/02_safe_softmax/%.o)
STEPS_03 = $(FILES_03:%.c=$(BUILD)/03_online_softmax/%.o)
STEPS_04 = $(FILES_04:%.c=$(BUILD)/04_tiled_attention/%.o)
STEPS_05 = $(FILES_05:%.c=$(BUILD)/05_flash1/%.o)
STEPS_06 = $(FILES_06:%.c=$(BUILD)/06_flash2/%.o) \
           $(foreach t,$(TARGETS),$(FAST_06:%.c=$(BUILD)/06_flash2/%.$(t).o)) \
           $(foreach t,$(AMX_TARGETS),$(AMX_06:%.c=$(BUILD)/06_flash2/%.$(t).o))
STEPS_O = $(STEPS_01) $(STEPS_02) $(STEPS_03) $(STEPS_04) $(STEPS_05) $(STEPS_06)

# An archive for each: a program takes from it what it calls.
A_01 = $(BUILD)/01_naive_softmax/steps.a
A_02 = $(BUILD)/02_safe_softmax/steps.a
A_03 = $(BUILD)/03_online_softmax/steps.a
A_04 = $(BUILD)/04_tiled_attention/steps.a
A_05 = $(BUILD)/05_flash1/steps.a
A_06 = $(BUILD)/06_flash2/steps.a
$(A_01): $(STEPS_01)
$(A_02): $(STEPS_02)
$(A_03): $(STEPS_03)
$(A_04): $(STEPS_04)
$(A_05): $(STEPS_05)
$(A_06): $(STEPS_06)
ALL_STEPS = $(A_06) $(A_05) $(A_04) $(A_03) $(A_02) $(A_01)

# A chapter's program: its own steps, those that it compares, and common/.
chapter-01: $(BUILD)/01_naive_softmax/run
chapter-02: $(BUILD)/02_safe_softmax/run
chapter-03: $(BUILD)/03_online_softmax/run
chapter-04: $(BUILD)/04_tiled_attention/run
chapter-05: $(BUILD)/05_flash1/run
chapter-06: $(BUILD)/06_flash2/run
backward-05: $(BUILD)/05_flash1/backward/run
backward-06: $(BUILD)/06_flash2/backward/run
flash: $(BUILD)/06_flash2/flash/run
$(BUILD)/01_naive_softmax/run: $(A_01) $(ROWS_A)
$(BUILD)/02_safe_softmax/run: $(A_02) $(A_01) $(ROWS_A)
$(BUILD)/03_online_softmax/run: $(A_03) $(A_02) $(ROWS_A)
$(BUILD)/04_tiled_attention/run: $(A_04) $(ARCHIVES)
$(BUILD)/05_flash1/run $(BUILD)/05_flash1/backward/run: $(A_05) $(A_04) $(ARCHIVES)
$(BUILD)/06_flash2/run $(BUILD)/06_flash2/backward/run: $(A_06) $(A_05) $(A_04) $(ARCHIVES)
$(BUILD)/06_flash2/flash/run: $(ALL_STEPS) $(ARCHIVES)

# --- Tests, and other programs -------------------------------------------------

PROGRAMS = $(patsubst %,$(BUILD)/%/run,$(filter 0[1-6]_% 01_% 02_% 03_% 04_% \
             05_% 06_%,$(CHAPTERS))) $(addprefix $(BUILD)/,05_flash1/backward/run \
             06_flash2/backward/run 06_flash2/flash/run)
FLASH = $(BUILD)/06_flash2/flash/run
tests_in = $(patsubst %.c,$(BUILD)/%,$(wildcard $(1)))
TESTS_COMMON := $(call tests_in,common/tests/test_*.c common/testing/test_*.c)
TESTS_01 := $(call tests_in,01_*/test_*.c)
TESTS_02 := $(call tests_in,02_*/test_*.c)
TESTS_03 := $(call tests_in,03_*/test_*.c)
TESTS_04 := $(call tests_in,04_*/test_*.c)
TESTS_05 := $(call tests_in,05_*/test_*.c 05_*/backward/test_*.c)
TESTS_06 := $(filter-out %/ring/test_ring,$(call tests_in,06_*/test_*.c \
              06_*/*/test_*.c))
TESTS = $(TESTS_COMMON) $(TESTS_01) $(TESTS_02) $(TESTS_03) $(TESTS_04) \
        $(TESTS_05) $(TESTS_06)
ALL_TESTS = $(RING_TESTED) $(CUDA_TESTS) $(TESTS) # the longest first
# Programs of docs/lab span chapters.
LAB := $(shell grep -l '^int main' docs/lab/*.c)
LAB_SHARED := $(filter-out $(LAB),$(wildcard docs/lab/*.c))
LABS = $(LAB:%.c=$(BUILD)/%)
$(BUILD)/liblab.a: $(LAB_SHARED:%.c=$(BUILD)/%.o)

$(PROGRAMS): %/run: %/main.o
$(TESTS): %: %.o $(BUILD)/libtest.a
$(LABS): %: %.o $(BUILD)/liblab.a $(ALL_STEPS) $(ARCHIVES)
$(TESTS_01): $(A_01) $(ARCHIVES)
$(TESTS_02): $(A_02) $(A_01) $(ARCHIVES)
$(TESTS_03): $(A_03) $(A_02) $(ARCHIVES)
$(TESTS_04): $(A_04) $(ARCHIVES)
$(TESTS_05): $(A_05) $(A_04) $(ARCHIVES)
$(TESTS_06): $(ALL_STEPS) $(ARCHIVES)
$(TESTS_COMMON): $(ARCHIVES)
# test_programs runs the chapters' programs.
$(BUILD)/06_flash2/test_programs.o: CPPFLAGS += -DPROGRAMS='"$(abspath $(BUILD))"'
$(BUILD)/06_flash2/test_programs: | $(filter %/run,$(PROGRAMS))
$(PROGRAMS) $(LABS) $(TESTS): | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		$(LDLIBS) $(OPENMP)
$(TESTS): LDLIBS += $(CMOCKA_LIBS)

# Begun anew each time, so that a renamed file leaves nothing behind. q, not r:
# backward/traffic.o does not replace traffic.o.
$(BUILD)/%.a:
	$(call say,archive,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^

# --- Objects -------------------------------------------------------------------

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CHOICE) $(CFLAGS) -MMD -MP -c $< -o $@

STEP_FILES = $(FILES_01:%=01_naive_softmax/%) $(FILES_02:%=02_safe_softmax/%) \
        $(FILES_03:%=03_online_softmax/%) $(FILES_04:%=04_tiled_attention/%) \
        $(FILES_05:%=05_flash1/%) $(FILES_06:%=06_flash2/%)
TARGETED = $(FAST_06:%=06_flash2/%) $(FAST_COMMON)
TARGETED_O = $(foreach t,$(TARGETS),$(TARGETED:%.c=$(BUILD)/%.$(t).o)) \
             $(foreach t,$(AMX_TARGETS),$(AMX_06:%.c=$(BUILD)/06_flash2/%.$(t).o))
OBJECTS = $(patsubst %.c,$(BUILD)/%.o,$(STEP_FILES) $(COMMON) $(FOR_TESTS) $(LAB) \
            $(LAB_SHARED)) $(PROGRAMS:%/run=%/main.o) $(TESTS:%=%.o) \
          $(TARGETED_O)
-include $(wildcard $(OBJECTS:.o=.d))

# Rewritten only when compiler or flags changed: then all objects are older.
COMPILER := $(CC) $(CPPFLAGS) $(CFLAGS), $(FAST), $(TARGETS) $(AMX_TARGETS)
$(BUILD)/flags: FORCE
	@sh tools/need.sh $(BUILD)/
	@echo '$(COMPILER)' | cmp -s - $@ || \
		{ sh tools/need.sh compiler && echo '$(COMPILER)' >$@; }
.PHONY: FORCE

# Of the fast files, for each target.
fast = $(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) $(FAST) \
       -ffp-contract=fast -DTARGET=$(1) -MMD -MP -c $< -o $@
$(BUILD)/%.native.o: %.c $(BUILD)/flags | $(BUILD)/native
	$(call say,compile,$<)
	$(call fast,native $$(cat $(BUILD)/native))
$(BUILD)/%.avx512.o: %.c $(BUILD)/flags
	$(call fast,avx512 -mavx512f -mavx2 -mfma -mprefer-vector-width=512)
$(BUILD)/%.avx2.o: %.c $(BUILD)/flags
	$(call fast,avx2 -mavx2 -mfma)
$(BUILD)/%.base.o: %.c $(BUILD)/flags
	$(call fast,base)
$(BUILD)/%.amx.o: %.c $(BUILD)/flags
	$(call fast,amx $(AMX))
$(BUILD)/%.vdpbf16.o: %.c $(BUILD)/flags
	$(call fast,vdpbf16 $(AVX512_BF16))
# Emulated vectors: -O3 takes minutes to compile them. No product of a step on
# tiles is contracted, so that all its targets round alike.
$(BUILD)/%.model.o: %.c $(BUILD)/flags
	$(call fast,model -O2 -Wno-psabi -ffp-contract=off)
# clang 19 warns of its own choice of vector width; compilers use half of
# AVX-512's width by default.
QUIET_NATIVE = -march=native -Wno-invalid-feature-combination
$(BUILD)/native: $(BUILD)/flags
	@{ sh tools/first_flag.sh -march=native '$(QUIET_NATIVE)' \
	      -mcpu=native && \
	   sh tools/first_flag.sh -mprefer-vector-width=512; } >$@

# Without OpenMP its pragmas are skipped, and the program runs on one thread.
OPENMP = $$(cat $(BUILD)/openmp)
$(BUILD)/openmp: $(BUILD)/flags
	@mkdir -p $(@D)
	@sh tools/first_flag.sh -fopenmp -Wno-unknown-pragmas >$@
PARALLEL = $(addprefix $(BUILD)/,common/threads.o common/speed/peak.o \
             06_flash2/fast/query_blocks.o 06_flash2/fast/amx_heads.o)
$(PARALLEL): CFLAGS += $(OPENMP)
$(PARALLEL): | $(BUILD)/openmp

# CMocka may be outside the compiler's path (Homebrew): pkg-config finds it.
CMOCKA_FLAGS = $$(pkg-config --cflags cmocka 2>/dev/null)
CMOCKA_LIBS = $$(pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)
NEED_CMOCKA = $(TESTS:%=%.o) $(FOR_TESTS:%.c=$(BUILD)/%.o)
$(NEED_CMOCKA): CFLAGS += $(CMOCKA_FLAGS)
$(NEED_CMOCKA): | $(BUILD)/cmocka
$(BUILD)/cmocka: $(BUILD)/flags
	@sh tools/need.sh cmocka
	@touch $@

# One line if a program is missing, before anything is built for it.
need-%:
	@sh tools/need.sh $*

JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(getconf _NPROCESSORS_ONLN || echo 2))
include tools/exercises.mk
-include tools/grade/grade.mk 06_flash2/ring/ring.mk \
         07_cuda/cuda_on_cpu/cuda_on_cpu.mk 07_cuda/07_cuda.mk \
         07_cuda/cuda_check/cuda_check.mk 07_cuda/oracles/oracles.mk \
         07_cuda/witness/witness.mk 06_flash2/flash/library.mk tools/book/book.mk \
         tools/assurance/assurance.mk
include docs/lab/lab.mk tools/maintainers.mk

# --- Reading and running -------------------------------------------------------

# What a learner needs, in this order; `make help-all` has the rest.
LEARNER = tour chapter-NN diff-NN exercise-NN hint-NN solution-NN progress \
          test-NN plot-NN backward-NN flash test book
RULES := Makefile $(wildcard tools/*.mk 0*/*.mk 0*/*/*.mk tools/*/*.mk docs/*/*.mk)
## help-all        every target
help help-all:
	@echo "FlashAttention, one step at a time. NN is one of: $(NUMBERS)"
	@echo
	@awk -v first='$(LEARNER)' -v all=$(filter help-all,$@) ' \
		/^## / { line[$$2] = "  make " substr($$0, 4); name[n++] = $$2 } \
		END { m = split(first, f, " "); \
			for (i = 1; i <= m; i++) { print line[f[i]]; seen[f[i]] = 1 } \
			for (i = 0; i < n && all != ""; i++) \
				if (!seen[name[i]]) print line[name[i]]; \
		}' $(RULES)
	@echo
	@echo "next: make tour"

## tour            run every chapter, draw its plots (a few minutes)
.PHONY: programs
CHAPTER_PROGRAMS = $(patsubst %,$(BUILD)/%/run,$(CHAPTERS))
programs: $(PROGRAMS) $(CUDA_PROGRAMS) $(RING_TOUR) $(BUILD)/docs/lab/pictures
tour: need-compiler
	+$(call build_all,programs,$(PROGRAMS) $(CUDA_PROGRAMS) $(RING_TOUR))
	@UNBUILT="$(UNBUILT)" PLOTTED='$(DRAWING)' RING='$(RING_TOUR)' \
		sh tools/tour.sh $(CHAPTERS)

# A program that does not build stops no other: it is listed in UNBUILT.
UNBUILT = $$(tr '\n' ' ' <$(BUILD)/unbuilt)
define build_all
@mkdir -p $(BUILD) && : >$(BUILD)/unbuilt
@$(MAKE) --no-print-directory $(JOBS) -k $(1) || for program in $(2); do \
	$(MAKE) --no-print-directory $$program >/dev/null 2>&1 || \
		echo $$program >>$(BUILD)/unbuilt; done
$(clear)
endef

# ./run and its like are links, made once the program is.
define link
$(clear)
@sh tools/need.sh ./ && ln -sfn $< $(1)
endef

## chapter-NN      build a chapter; ./run is then its program
## backward-NN     the same of its backward pass (05 06 07)
## flash           ./flash: all steps on your own arrays
$(NUMBERS:%=chapter-%):
	$(call link,run)
	@sh tools/read.sh $(@:chapter-%=%)
	@echo "next: ./run"
backward-05 backward-06:
	$(call link,run)
	@echo "next: ./run"
flash:
	$(call link,$@)
	@echo "next: ./flash --help"

## diff-NN         the steps next to the ones before: what changed (STEP=, ALL=1)
$(NUMBERS:%=diff-%): diff-%:
	@sh tools/stepdiff.sh $* "$$STEP"
	@echo "next: make exercise-$*"

## plot-NN         draw a chapter's plots (PLOT=dumb: on the terminal)
DRAWING := $(patsubst %/plot.gp,%,$(wildcard $(CHAPTERS:%=%/plot.gp)))
PLOT_NN := $(foreach c,$(DRAWING),$(firstword $(subst _, ,$(c))))
$(PLOT_NN:%=plot-%): plot-%: need-gnuplot
	@$(MAKE) --no-print-directory $(BUILD)/$(call folder,$*)/run $(FLASH)
	$(clear)
	@sh tools/plot.sh $(call folder,$*)
	@echo "next: open docs/$(call folder,$*).md"
## plot-precision  errors of your own: STEPS= BC= N= D= ROWS= TYPES= (docs/precision.md)
plot-03: export LOSS = softmax
plot-precision: export LOSS = attention
plot-03 plot-precision: $(if $(N)$(ROWS)$(TYPES)$(REPEAT)$(STEPS)$(BC)$(D), \
		$(BUILD)/docs/lab/loss)
plot-precision: need-gnuplot
	$(clear)
	@sh tools/plot.sh docs/lab/precision.gp
	@echo "next: open docs/precision.md"
$(patsubst %,plot-%,$(filter-out $(PLOT_NN),$(NUMBERS))):
	@echo "$@: this chapter draws nothing (NN: $(PLOT_NN))" >&2; exit 2

## test            run all tests, ten minutes (ONLY='big_*': those of that name)
.PHONY: test-programs
test-programs: $(ALL_TESTS)
test: need-compiler $(BUILD)/cmocka
	+$(call build_all,test-programs,$(ALL_TESTS))
	@UNBUILT="$(UNBUILT)" sh tools/test.sh $(ALL_TESTS)
	@echo "next: make exercise-$(firstword $(TO_SOLVE) $(NUMBERS))"

## test-NN         run a chapter's tests
test-01: $(TESTS_01)
test-02: $(TESTS_02)
test-03: $(TESTS_03)
test-04: $(TESTS_04)
test-05: $(TESTS_05)
test-06: $(TESTS_06)
$(NUMBERS:%=test-%):
	$(clear)
	@sh tools/test.sh $^
	@echo "next: make exercise-$(@:test-%=%)"

## clean           remove what was built; work/ stays
clean:
	rm -rf $(BUILD) run flash flash-cuda
	@echo "next: make tour"

# No target that has a line of help is a file.
.PHONY: help $(shell sed -n 's/^## \([a-z-]*\) .*/\1/p' $(RULES)) \
        plot-precision $(foreach n,$(NUMBERS),$(addsuffix -$(n),chapter backward diff \
          plot test))

# Chapters that do not exist, and targets without NN.
NEED_NN = chapter backward diff plot test exercise watch solution reset hint \
          grade wrong
.PHONY: chapter backward diff plot exercise watch solution reset hint
chapter backward diff plot exercise watch solution reset hint:
	@echo "make $@-NN: which chapter? (NN: $(NUMBERS))" >&2; exit 2
$(NEED_NN:%=%-%):
	@echo "$@: there is no such chapter or exercise (NN: $(NUMBERS))" >&2; \
	$(if $(LEFT_OUT),echo "$(LEFT_OUT)" >&2;) exit 2
