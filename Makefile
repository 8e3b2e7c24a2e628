# FlashAttention, one step at a time. `make` alone lists the main targets.
#
# All built files are in $(BUILD). Only the links ./run, ./flash and ./flash-cuda are
# outside it. A learner's exercises are in work/.
# `make V=1` shows the commands; `make CC=clang` builds in build/clang.

# BSD's make stops at the first line here and prints it. For GNU make it is a rule.
.error GNU make is needed: gmake
ifeq ($(filter else-if,$(.FEATURES)),)
$(error make $(MAKE_VERSION) is too old; GNU make 3.81 or later is needed)
endif

CC = cc
COMPILER_NAME = $(notdir $(lastword $(filter-out -%,$(CC))))
BUILD = build$(if $(filter-out cc,$(COMPILER_NAME)),/$(COMPILER_NAME))
# Without the alignment a short loop may cross a cache line and take 1.5 times as long.
OPT = -O2 -g -falign-functions=64
FAST = -O3 # for the files whose subject is speed
# STRICT=1 turns warnings into errors (for developers).
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
           -Wdouble-promotion -Wframe-larger-than=32000 \
           $(if $(STRICT),-Werror)
CFLAGS = -std=c11 $(OPT) $(WARNINGS)
CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I.
LDLIBS = -lm

# `say` prints a line of progress on a terminal. The next line overwrites it.
Q = $(if $(V),,@)
terminal = [ -t 1 ] && [ "$$TERM" != dumb ]
say = @! { $(terminal); } || printf '\033[K  %s %.60s\r' '$(1)' \
      '$(patsubst $(BUILD)/%,%,$(2))'
clear = @! { $(terminal); } || printf '\033[K'

export CC BUILD MAKE # for tools/*.sh

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:

include tools/variables.mk # GIVEN
include tools/machine.mk # LEFT_OUT, TARGETS, AMX_TARGETS, PAIRS_TARGETS
# Later chapters may be missing: a chapter needs only the chapters before it. GNU make 3.82
# to 4.2 does not sort the names.
CHAPTERS := $(patsubst %/,%,$(sort $(wildcard 0[1-6]_*/) $(if $(LEFT_OUT),,07_cuda/)))
NUMBERS := $(foreach c,$(CHAPTERS),$(firstword $(subst _, ,$(c))))
folder = $(filter $(1)_%,$(CHAPTERS))

# The programs of chapters 01 to 03 link only these files of common/.
ROW_FILES = $(addprefix common/,memory_limit.c precision.c data/random.c \
         judge/errors.c judge/reference.c $(addprefix lesson/,bundled.c options.c \
           softmax/changed_scores.c softmax/formats.c)) \
         $(wildcard common/npy/*.c common/print/*.c)
COMMON := $(wildcard common/*.c common/judge/*.c common/lesson/*.c common/lesson/*/*.c \
            common/npy/*.c common/print/*.c common/data/*.c) \
          common/speed/peak.c common/speed/targets.c
# Only these files and the tests need CMocka.
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

# The sources of folders, without programs and tests.
sources = $(filter-out %/main.c $(wildcard $(1:=/test_*.c)),$(wildcard $(1:=/*.c)))
FILES_01 = $(call sources,01_naive_softmax)
FILES_02 = $(call sources,02_safe_softmax)
FILES_03 = $(call sources,03_online_softmax)
FILES_04 = $(call sources,04_tiled_attention)
FILES_05 = $(call sources,05_flash1 05_flash1/backward)
FILES_06 = $(filter-out $(FAST_06) $(AMX_06) $(PAIRS_06),$(call sources,06_flash2 \
             $(addprefix 06_flash2/,variants fast backward)))
FILES_FLASH = $(filter-out %/cuda_steps.c,$(call sources,tools/flash))
STEP_FILES = $(FILES_01) $(FILES_02) $(FILES_03) $(FILES_04) $(FILES_05) $(FILES_06) \
             $(FILES_FLASH)
# FAST_06 is compiled once for each of $(TARGETS), AMX_06 for each of $(AMX_TARGETS),
# PAIRS_06 for each of $(PAIRS_TARGETS).
FAST_06 = $(addprefix 06_flash2/fast/,flash2_lanes.c flash2_simd.c split_kv_simd.c \
            widened.c) 06_flash2/backward/backward_simd.c
AMX_06 = $(addprefix 06_flash2/fast/,flash2_amx_plain.c flash2_amx_overlap.c \
           flash2_amx.c)
PAIRS_06 = 06_flash2/fast/flash2_pairs.c
FAST_06_O = $(foreach t,$(TARGETS),$(FAST_06:%.c=$(BUILD)/%.$(t).o)) \
            $(foreach t,$(AMX_TARGETS),$(AMX_06:%.c=$(BUILD)/%.$(t).o)) \
            $(foreach t,$(PAIRS_TARGETS),$(PAIRS_06:%.c=$(BUILD)/%.$(t).o))
STEPS_O = $(STEP_FILES:%.c=$(BUILD)/%.o) $(FAST_06_O)

# Each chapter has its archive, so that a program links only the files that it calls.
A_01 = $(BUILD)/01_naive_softmax/steps.a
A_02 = $(BUILD)/02_safe_softmax/steps.a
A_03 = $(BUILD)/03_online_softmax/steps.a
A_04 = $(BUILD)/04_tiled_attention/steps.a
A_05 = $(BUILD)/05_flash1/steps.a
A_06 = $(BUILD)/06_flash2/steps.a
$(A_01): $(FILES_01:%.c=$(BUILD)/%.o)
$(A_02): $(FILES_02:%.c=$(BUILD)/%.o)
$(A_03): $(FILES_03:%.c=$(BUILD)/%.o)
$(A_04): $(FILES_04:%.c=$(BUILD)/%.o)
$(A_05): $(FILES_05:%.c=$(BUILD)/%.o)
$(A_06): $(FILES_06:%.c=$(BUILD)/%.o) $(FAST_06_O)
FLASH = $(or $(call program,06_flash2,tools/flash),no-flash)
A_FLASH = $(BUILD)/tools/flash/flash.a
$(A_FLASH): $(FILES_FLASH:%.c=$(BUILD)/%.o)
ALL_STEPS = $(A_06) $(A_05) $(A_04) $(A_03) $(A_02) $(A_01)

# A chapter's program links the chapter's steps, the steps that it compares with them,
# and common/. `program` is the program of the first folder, or of the second; it is empty
# if the first folder is missing.
program = $(if $(wildcard $(1)),$(BUILD)/$(or $(2),$(1))/run)
chapter-01: $(call program,01_naive_softmax)
chapter-02: $(call program,02_safe_softmax)
chapter-03: $(call program,03_online_softmax)
chapter-04: $(call program,04_tiled_attention)
chapter-05: $(call program,05_flash1)
chapter-06: $(call program,06_flash2)
backward-05: $(call program,05_flash1/backward)
backward-06: $(call program,06_flash2/backward)
flash: $(FLASH)
$(BUILD)/01_naive_softmax/run: $(A_01) $(ROWS_A)
$(BUILD)/02_safe_softmax/run: $(A_02) $(A_01) $(ROWS_A)
$(BUILD)/03_online_softmax/run: $(A_03) $(A_02) $(ROWS_A)
$(BUILD)/04_tiled_attention/run: $(A_04) $(ARCHIVES)
$(BUILD)/05_flash1/run $(BUILD)/05_flash1/backward/run: $(A_05) $(A_04) $(ARCHIVES)
$(BUILD)/06_flash2/run $(BUILD)/06_flash2/backward/run: $(A_06) $(A_05) $(A_04) $(ARCHIVES)
$(BUILD)/tools/flash/run: $(A_FLASH) $(ALL_STEPS) $(ARCHIVES)

PROGRAMS = $(foreach folder,$(filter-out 07_%,$(CHAPTERS)) 05_flash1/backward \
             06_flash2/backward,$(call program,$(folder))) $(filter %/run,$(FLASH))
tests_in = $(patsubst %.c,$(BUILD)/%,$(wildcard $(1)))
TESTS_COMMON := $(call tests_in,common/tests/test_*.c common/testing/test_*.c)
TESTS_01 := $(call tests_in,01_*/test_*.c)
TESTS_02 := $(call tests_in,02_*/test_*.c)
TESTS_03 := $(call tests_in,03_*/test_*.c)
TESTS_04 := $(call tests_in,04_*/test_*.c)
TESTS_05 := $(call tests_in,05_*/test_*.c 05_*/backward/test_*.c)
TESTS_06 := $(filter-out %/ring/test_ring,$(call tests_in,06_*/test_*.c \
              06_*/*/test_*.c))
TESTS_TOOLS := $(if $(wildcard 06_flash2),$(call tests_in,tools/test_*.c \
                 tools/flash/test_*.c))
TESTS = $(TESTS_TOOLS) $(TESTS_06) $(TESTS_05) $(TESTS_04) $(TESTS_03) \
        $(TESTS_02) $(TESTS_01) $(TESTS_COMMON)
ALL_TESTS = $(RING_TESTED) $(CUDA_TESTS) $(TESTS) # the slowest first
# A program of docs/lab links chapters 01 to 06.
CUDA_LAB = $(addprefix docs/lab/,schedule.c pipeline.c fp8_error.c) # 07_cuda.mk
LAB := $(filter-out $(CUDA_LAB),$(shell grep -l '^int main' docs/lab/*.c))
LAB_SHARED := $(filter-out $(LAB) $(CUDA_LAB),$(wildcard docs/lab/*.c))
LABS = $(LAB:%.c=$(BUILD)/%)
$(BUILD)/liblab.a: $(LAB_SHARED:%.c=$(BUILD)/%.o)

$(PROGRAMS): %/run: %/main.o
$(TESTS): %: %.o $(BUILD)/libtest.a
$(LABS): %: %.o $(BUILD)/liblab.a $(A_FLASH) $(ALL_STEPS) $(ARCHIVES)
$(TESTS_01): $(A_01) $(ARCHIVES)
$(TESTS_02): $(A_02) $(A_01) $(ARCHIVES)
$(TESTS_03): $(A_03) $(A_02) $(ARCHIVES)
$(TESTS_04): $(A_04) $(ARCHIVES)
$(TESTS_05): $(A_05) $(A_04) $(ARCHIVES)
$(TESTS_06): $(ALL_STEPS) $(ARCHIVES)
$(TESTS_TOOLS): $(A_FLASH) $(ALL_STEPS) $(ARCHIVES)
$(TESTS_COMMON): $(ARCHIVES)
$(BUILD)/tools/test_programs.o: CPPFLAGS += -DPROGRAMS='"$(abspath $(BUILD))"'
$(BUILD)/tools/test_programs: | $(filter %/run,$(PROGRAMS))
$(PROGRAMS) $(LABS) $(TESTS): | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		$(LDLIBS) $(OPENMP)
$(TESTS): LDLIBS += $(CMOCKA_LIBS)

# The recipe deletes the old archive, which may contain objects of renamed files. `ar q`
# adds both traffic.o and backward/traffic.o; with `ar r` one would replace the other.
$(BUILD)/%.a:
	$(call say,archive,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) qcs $@ $^

include tools/objects.mk # compiles each file

# need-NAME prints one line and stops if the program NAME is not installed.
need-%:
	@sh tools/require.sh $*

JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(getconf _NPROCESSORS_ONLN || echo 2))

# Commands of learners, teachers, readers and maintainers.
include tools/learners.mk
-include tools/grade/grade.mk 06_flash2/ring/ring.mk tools/book/book.mk
ifneq ($(and $(wildcard 07_cuda),$(wildcard tools/emulator)),)
-include tools/emulator/cuda_on_cpu/cuda_on_cpu.mk 07_cuda/07_cuda.mk \
         tools/emulator/cuda_check/cuda_check.mk tools/emulator/emulator.mk
endif
ifneq ($(wildcard 06_flash2),)
-include tools/flash/library.mk
include tools/maintainers.mk
endif

# What `make tour` builds, and what `make test` runs.
.PHONY: programs test-programs
programs: $(PROGRAMS) $(CUDA_PROGRAMS) $(RING_TOUR) \
		$(if $(wildcard 06_flash2),$(BUILD)/docs/lab/pictures)
test-programs: $(ALL_TESTS)

# Targets with a line of help are phony. NN stands for the number of each chapter.
RULES := $(filter Makefile %.mk,$(MAKEFILE_LIST))
hash := \#
HELPED := $(shell sed -n 's/^$(hash)$(hash) \([a-zN0-9-]*\) .*/\1/p' $(RULES))
.PHONY: help $(foreach n,$(NUMBERS),$(HELPED:%NN=%$(n)))
