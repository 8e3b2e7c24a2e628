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

# Only make's command line sets these variables; the environment does not. A recipe must
# use "$$E", a shell variable: with $(E) the shell would execute the value as code.
GIVEN = ALL ARGS BC CHAPTER CSV D DIR E FILE FORCE FORMAT INCLUDE N ONLY OUT \
        REPEAT ROWS STD STEP STEPS TO TYPES VARIANT
# Grading stops if the environment sets one of these variables.
ifneq ($(filter grade grade-% gradescope,$(MAKECMDGOALS)),)
$(foreach name,CHAPTER CSV DIR E FILE FORMAT OUT VARIANT, \
  $(if $(filter environment,$(origin $(name))),$(if $(value $(name)),$(error \
    $(name): is set in the environment; give it to make: make $(MAKECMDGOALS) \
    $(name)=...))))
endif
$(foreach name,$(GIVEN),$(eval $(name) =))
$(foreach name,$(GIVEN),$(eval override $(name) := $$(value $(name))))
export $(GIVEN)

# `make exercise-03 e=NAME` would run without E, so it is an error.
KNOWN = $(GIVEN) BUILD CARD CARDS CC CXX DESTDIR FILES NO_CUDA NVCC_ARCH OPT PART PLOT \
        PORTABLE PREFIX QUICK RANKS SECONDS STRICT SYSTEMS V
LOWER := $(shell echo $(KNOWN) | tr A-Z a-z)
$(foreach pair,$(join $(LOWER:%=%/),$(KNOWN)),$(if $(filter command, \
  $(origin $(patsubst %/,%,$(dir $(pair))))),$(error \
    $(patsubst %/,%,$(dir $(pair))): no such variable; use $(notdir $(pair))=...)))

include tools/machine.mk # LEFT_OUT, TARGETS, AMX_TARGETS, PAIRS_TARGETS
# Later chapters may be missing: a chapter needs only the chapters before it.
CHAPTERS := $(patsubst %/,%,$(wildcard 0[1-6]_*/) $(if $(LEFT_OUT),,07_cuda/))
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
TESTS = $(TESTS_COMMON) $(TESTS_01) $(TESTS_02) $(TESTS_03) $(TESTS_04) \
        $(TESTS_05) $(TESTS_06) $(TESTS_TOOLS)
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
	$(Q)rm -f $@ && $(AR) qcs $@ $^

include tools/objects.mk # compiles each file

# need-NAME prints one line and stops if the program NAME is not installed.
need-%:
	@sh tools/require.sh $*

JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(getconf _NPROCESSORS_ONLN || echo 2))
# Targets that take more than half a minute print the time first.
announce-tour announce-test announce-test-07 announce-exercise-07 announce-lib:
	@echo "make $(@:announce-%=%): takes $(TAKES) the first time, on two cores"
announce-tour: TAKES = 2 to 3 minutes
announce-test: TAKES = about 5 minutes
announce-test-07: TAKES = several minutes
announce-exercise-07: TAKES = about half a minute
announce-lib: TAKES = several minutes
tour test lib $(if $(LEFT_OUT),,test-07): %: | announce-%
sanitized: | $(if $(wildcard $(BUILD)/07_cuda/*.a),, \
               $(patsubst %,announce-%,$(filter exercise-07,$(MAKECMDGOALS))))
include tools/exercises.mk
-include tools/grade/grade.mk 06_flash2/ring/ring.mk tools/book/book.mk
ifneq ($(wildcard 07_cuda),)
-include tools/emulator/cuda_on_cpu/cuda_on_cpu.mk 07_cuda/07_cuda.mk \
         tools/emulator/cuda_check/cuda_check.mk tools/emulator/emulator.mk
endif
ifneq ($(wildcard 06_flash2),)
-include tools/flash/library.mk tools/assurance/assurance.mk
include docs/lab/lab.mk tools/maintainers.mk
endif

LEARNER = tour chapter-NN diff-NN exercise-NN hint-NN solution-NN progress \
          test-NN plot-NN backward-NN flash test book
# The targets that need a chapter that is missing.
NO_HELP = $(if $(BACKWARD),,backward-NN) \
          $(if $(wildcard 06_flash2),,flash plot-precision)
RULES := $(filter Makefile %.mk,$(MAKEFILE_LIST))
## help-all        list every target
help help-all:
	@echo "FlashAttention, one step at a time. NN is one of: $(NUMBERS)"
	@echo
	@awk -v first='$(LEARNER)' -v none=' $(NO_HELP) ' -v all=$(filter help-all,$@) ' \
		/^## / && !index(none, " " $$2 " ") { name[n++] = $$2; text = $$0; sub(/^## [^ ]* */, "", text); \
			line[$$2] = sprintf("  make %-16s %s", $$2, text) } \
		END { m = split(first, f, " "); \
			for (i = 1; i <= m; i++) \
				if (f[i] in line) { print line[f[i]]; seen[f[i]] = 1 } \
			for (i = 0; i < n && all != ""; i++) \
				if (!seen[name[i]]) print line[name[i]]; \
		}' $(RULES)
	@echo
	@echo "next: make tour"

## tour            run every chapter and draw its plots (2 to 3 minutes)
.PHONY: programs
programs: $(PROGRAMS) $(CUDA_PROGRAMS) $(RING_TOUR) \
		$(if $(wildcard 06_flash2),$(BUILD)/docs/lab/pictures)
tour: need-compiler
	+$(call build_all,programs,$(PROGRAMS) $(CUDA_PROGRAMS) $(RING_TOUR))
	@UNBUILT="$(UNBUILT)" PLOTTED='$(DRAWING)' RING='$(RING_TOUR)' \
		sh tools/tour.sh $(CHAPTERS)

# build_all builds every program. UNBUILT lists the programs that do not build.
UNBUILT = $$(tr '\n' ' ' <$(BUILD)/unbuilt)
define build_all
@mkdir -p $(BUILD) && : >$(BUILD)/unbuilt
@$(MAKE) --no-print-directory $(JOBS) -k $(1) || for program in $(2); do \
	$(MAKE) --no-print-directory $$program >/dev/null 2>&1 || \
		echo $$program >>$(BUILD)/unbuilt; done
$(clear)
endef

# Links ./run, ./flash or ./flash-cuda to the program.
define link
$(clear)
@sh tools/require.sh ./ && ln -sfn $< $(1)
endef

## chapter-NN      build a chapter's program, and link ./run to it
## backward-NN     build a backward pass (from 05 on), and link ./run to it
## flash           build ./flash, which runs all steps on your own arrays
$(NUMBERS:%=chapter-%):
	$(call link,run)
	@sh tools/what_to_read.sh $(@:chapter-%=%)
	@echo "next: ./run"
BACKWARD = $(filter-out 01 02 03 04,$(NUMBERS))
$(patsubst %,backward-%,$(filter 05 06,$(BACKWARD))):
	$(call link,run)
	@echo "next: ./run"
$(patsubst %,backward-%,$(filter-out $(BACKWARD),$(NUMBERS))):
	@echo "$@: this chapter has no backward pass (NN: $(or $(BACKWARD),none))" \
		>&2; exit 2
flash:
	$(call link,$@)
	@echo "next: ./flash --help"
no-flash:
	@echo "flash: needs chapters 01 to 06; 06_flash2 is missing" >&2; exit 2

## diff-NN         show what each step changes (STEP=NAME, ALL=1)
$(NUMBERS:%=diff-%): diff-%:
	@sh tools/stepdiff.sh $* "$$STEP"
	@echo "next: make exercise-$*"

## plot-NN         draw a chapter's plots (PLOT=dumb: on the terminal)
DRAWING := $(patsubst %/plot.gp,%,$(wildcard $(CHAPTERS:%=%/plot.gp)))
PLOT_NN := $(foreach c,$(DRAWING),$(firstword $(subst _, ,$(c))))
$(PLOT_NN:%=plot-%): plot-%: need-gnuplot
	@$(MAKE) --no-print-directory $(if $(V),,-s) \
		$(if $(LOSS),$(FLASH),$(call program,$(call folder,$*)))
	$(clear)
	@NEXT=1 sh tools/plot.sh $(call folder,$*)
## plot-precision  plot the errors for STEPS= BC= N= D= ROWS= TYPES=
# With options plot-03 and plot-precision draw the output of `flash precision`.
IS_CHANGED := $(strip $(N)$(ROWS)$(TYPES)$(REPEAT)$(STEPS)$(BC)$(D))
plot-03: export LOSS = $(if $(IS_CHANGED),softmax)
plot-precision: export LOSS = $(if $(IS_CHANGED),attention)
plot-precision: need-gnuplot $(if $(IS_CHANGED),$(FLASH))
	$(clear)
	@NEXT=1 sh tools/plot.sh docs/lab/precision.gp
$(patsubst %,plot-%,$(filter-out $(PLOT_NN),$(NUMBERS))):
	@echo "$@: this chapter has no plots (NN: $(PLOT_NN))" >&2; exit 2

## test            run all tests (5 minutes; ONLY='big_*': only these)
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

# ./run is a link, which chapter-NN makes.
.PHONY: run
run:
	@echo "make run: no such target; use make chapter-NN && ./run" >&2; exit 2

## clean           remove all built files, but not work/
clean:
	rm -rf $(BUILD) run flash flash-cuda
	@echo "next: make tour"

# Targets with a line of help are phony. NN stands for the number of each chapter.
hash := \#
HELPED := $(shell sed -n 's/^$(hash)$(hash) \([a-zN0-9-]*\) .*/\1/p' $(RULES))
.PHONY: help $(foreach n,$(NUMBERS),$(HELPED:%NN=%$(n)))

# These rules print an error for a target without NN, and for a chapter that does not
# exist.
NEED_NN = chapter backward diff plot test exercise watch solution reset hint \
          grade wrong
.PHONY: chapter backward diff plot exercise watch solution reset hint wrong
chapter backward diff plot exercise watch solution reset hint wrong:
	@echo "make $@: the chapter is missing; use make $@-NN (NN: $(NUMBERS))" >&2; exit 2
$(NEED_NN:%=%-%):
	@echo "$@: no such chapter or exercise; allowed: NN = $(NUMBERS)" >&2; \
	$(if $(filter %-07,$@),$(if $(LEFT_OUT),echo "$(LEFT_OUT)" >&2;)) exit 2
