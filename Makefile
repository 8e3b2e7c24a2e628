# FlashAttention, one step at a time. `make` alone lists what there is to do.
#
# Everything made lies in $(BUILD); only ./run (a link to the chapter at hand) and
# work/ (a learner's exercises) lie outside it.
# `make CC=clang`, `make OPT=-O0` and the like rebuild what they must;
# `make V=1` shows the commands.

CC = cc
BUILD = build
# A short loop that crosses two lines of the cache takes half as long again.
OPT = -O2 -g -falign-functions=64
FAST = -O3 # of what is compiled for speed
# STRICT=1, for who works on this: a warning is an error (make check, CI).
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
           -Wdouble-promotion -Wframe-larger-than=32000 \
           $(if $(STRICT),-Werror)
CFLAGS = -std=c11 $(OPT) $(WARNINGS)
CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I.
LDLIBS = -lm

Q = $(if $(V),,@)
say = @echo "  $(1) $(patsubst $(BUILD)/%,%,$(2))"

export CC BUILD MAKE # for tools/*.sh

.DEFAULT_GOAL = help
.DELETE_ON_ERROR:

# --- What there is -----------------------------------------------------------

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
LEFT_OUT = chapter 07 left out: its emulator has a sanitizer of its own
endif
export LEFT_OUT

CHAPTERS := $(sort $(patsubst %/,%,$(dir $(wildcard \
              0[1-$(if $(LEFT_OUT),6,7)]_*/main.c))))
NUMBERS := $(foreach c,$(CHAPTERS),$(firstword $(subst _, ,$(c))))
folder = $(filter $(1)_%,$(CHAPTERS))
DRAWING := $(patsubst %/plot.gp,%,$(wildcard $(CHAPTERS:%=%/plot.gp)))
PLOT_NN := $(foreach c,$(DRAWING),$(firstword $(subst _, ,$(c))))
tests_of = $(filter $(BUILD)/$(1)_%,$(TESTS))

# Chapter 07, which is CUDA, and ring/, which needs MPI, bring their own rules.
without_exercises = $(foreach f,$(1),$(if $(findstring /exercise/,$(f)),,$(f)))
tests_among = $(foreach f,$(1),$(if $(filter test_%.c,$(notdir $(f))),$(f)))
IN_CHAPTERS := $(filter-out 06_flash2/ring/%,$(call without_exercises, \
                 $(wildcard 0[1-6]_*/*.c 0[1-6]_*/*/*.c)))
IN_COMMON := $(wildcard common/*.c common/*/*.c common/*/*/*.c)

MAINS := $(wildcard 0[1-6]_*/main.c)
CHAPTER_TESTS := $(call tests_among,$(IN_CHAPTERS))
COMMON_TESTS := $(call tests_among,$(IN_COMMON))
# Compiled for each of TARGETS, of which the first that the CPU runs is taken.
TARGETED := $(wildcard 06_flash2/fast/flash2_lanes.c 06_flash2/*/*_simd.c \
              common/speed/*_loops.c)
PORTABLE_TARGETS := $(if $(filter x86_64 amd64,$(shell uname -m)),avx512 avx2) \
                    base
TARGETS := $(if $(PORTABLE),$(PORTABLE_TARGETS),native)
# The steps on a matrix unit: for AMX and AVX512-BF16 if the compiler has them,
# and in plain C (06_flash2/fast/amx_heads.h).
ON_TILES := $(wildcard 06_flash2/fast/flash2_amx*.c)
AVX512_BF16 = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -mfma \
              -mprefer-vector-width=512 -ffp-contract=off
AMX = $(AVX512_BF16) -mamx-tile -mamx-bf16
AMX_TARGETS := $(shell echo | $(CC) $(AMX) -E - >/dev/null 2>&1 && \
                 echo amx vdpbf16) model
CHOICE = '-DTARGETS=$(patsubst %,X(%),$(TARGETS))' \
         '-DAMX_TARGETS=$(patsubst %,X(%),$(AMX_TARGETS))'
STEPS := $(filter-out $(MAINS) $(CHAPTER_TESTS) $(TARGETED) $(ON_TILES),$(IN_CHAPTERS))
# What needs CMocka stays apart, so that chapters build without it.
FOR_TESTS := $(filter-out $(COMMON_TESTS), \
               $(filter common/testing/%,$(IN_COMMON)))
COMMON := $(filter-out $(COMMON_TESTS) $(FOR_TESTS) $(TARGETED),$(IN_COMMON))
# Chapters 01 to 03 have rows and no heads, and are made of these alone.
ROWS := $(filter $(addprefix common/,precision.c npy/% print/% judge/errors.c \
          judge/reference.c lesson/cliffs.c problem/bundled_scores.c \
          problem/random.c program/options.c program/softmax_program.c),$(COMMON))

# Programs that span chapters, and what they share.
LAB := $(shell grep -l '^int main' docs/lab/*.c)
LAB_SHARED = $(filter-out $(LAB),$(wildcard docs/lab/*.c))

SOURCES = $(LAB) $(LAB_SHARED) $(MAINS) \
          $(CHAPTER_TESTS) $(COMMON_TESTS) \
          $(STEPS) $(FOR_TESTS) $(COMMON)
TARGETED_O = $(foreach t,$(TARGETS),$(TARGETED:%.c=$(BUILD)/%.$(t).o)) \
             $(foreach t,$(AMX_TARGETS),$(ON_TILES:%.c=$(BUILD)/%.$(t).o))
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o) $(TARGETED_O)
PROGRAMS = $(MAINS:%/main.c=$(BUILD)/%/run)
LABS = $(LAB:%.c=$(BUILD)/%)
TESTS = $(COMMON_TESTS:%.c=$(BUILD)/%) $(CHAPTER_TESTS:%.c=$(BUILD)/%)
ALL_TESTS = $(RING_TESTED) $(CUDA_TESTS) $(TESTS) # the longest first

# --- What is given -----------------------------------------------------------

# Taken from make's command line alone: what the environment calls so, say
# E=production, is something else. Recipes find them in their environment, as
# they were typed: a value that were part of a recipe's text would be run.
GIVEN = ALL ARGS CHAPTER CSV DIR E FILE FORCE FORMAT INCLUDE N ONLY OUT PUPILS \
        STEP TO VARIANT
$(foreach name,$(GIVEN),$(eval $(name) =))
$(foreach name,$(GIVEN),$(eval override $(name) := $$(value $(name))))
export $(GIVEN)

# --- Building ----------------------------------------------------------------

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CHOICE) $(CFLAGS) -MMD -MP -c $< -o $@

-include $(wildcard $(OBJECTS:.o=.d))

# Rewritten only when compiler or flags changed: then all objects are older.
COMPILER := $(CC) $(CPPFLAGS) $(CFLAGS), $(FAST), $(TARGETS) $(AMX_TARGETS)
$(BUILD)/flags: FORCE
	@echo '$(COMPILER)' | cmp -s - $@ || \
		{ sh tools/need.sh compiler && echo '$(COMPILER)' >$@; }
.PHONY: FORCE

# Begun anew each time, so that a renamed file leaves nothing behind.
$(BUILD)/librows.a: $(ROWS:%.c=$(BUILD)/%.o)
$(BUILD)/libheads.a: $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(ROWS),$(COMMON))) \
		$(filter $(BUILD)/common/%,$(TARGETED_O))
$(BUILD)/libtest.a: $(FOR_TESTS:%.c=$(BUILD)/%.o)
ARCHIVES = $(BUILD)/libheads.a $(BUILD)/librows.a
$(BUILD)/liblab.a: $(LAB_SHARED:%.c=$(BUILD)/%.o)
# What an answer to an exercise may call, and what the tests need beside it.
FOR_ANSWERS := $(wildcard common/*.c) common/testing/todo.c
$(BUILD)/libquestion.a: $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(FOR_ANSWERS) \
		$(addprefix common/,lesson/% npy/% print/% program/% speed/% \
		  testing/contract/%),$(COMMON) $(FOR_TESTS)))
$(BUILD)/libanswer.a: $(FOR_ANSWERS:%.c=$(BUILD)/%.o)
FOR_EXERCISES = $(BUILD)/libquestion.a $(BUILD)/libanswer.a
$(ARCHIVES) $(FOR_EXERCISES) $(BUILD)/libtest.a $(BUILD)/liblab.a:
	$(call say,archive,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# A chapter is linked with its own steps and those that it compares them with,
# and so can be made whatever state the others are in.
WITH_02 = 01
WITH_03 = 02
WITH_05 = 04
WITH_06 = 05 04
STEPS_O = $(STEPS:%.c=$(BUILD)/%.o) \
          $(filter-out $(BUILD)/common/%,$(TARGETED_O))
steps_of = $(filter $(1:%=$(BUILD)/%_%),$(STEPS_O))
number_of = $(firstword $(subst _, ,$(1:$(BUILD)/%=%)))
linked_with = $(foreach n,$(number_of) $(WITH_$(number_of)), \
                $(BUILD)/$(call folder,$(n))/steps.a)
STEPS_A = $(patsubst %/main.c,$(BUILD)/%/steps.a,$(MAINS))

# From here on $$(...) waits until the target is known.
.SECONDEXPANSION:

archives_for = $(if $(filter 01 02 03,$(number_of)),$(BUILD)/librows.a,$(ARCHIVES))

# q, not r: a room's traffic.o does not take the place of the door's.
$(STEPS_A): %/steps.a: $$(call steps_of,$$(call number_of,$$@))
	$(call say,archive,$@)
	$(Q)rm -f $@ && $(AR) qcs $@ $^

$(PROGRAMS): %/run: %/main.o $$(call linked_with,$$@) \
		$$(call archives_for,$$@)
# Later chapters call earlier ones.
ALL_STEPS = $(foreach n,06 05 04 03 02 01,$(filter $(BUILD)/$(n)_%,$(STEPS_A)))
$(LABS): %: %.o $(BUILD)/liblab.a $(ALL_STEPS) $(ARCHIVES)
# A test of common/ sees common/ alone: it knows no chapter.
$(COMMON_TESTS:%.c=$(BUILD)/%): %: %.o $(BUILD)/libtest.a $(ARCHIVES)
$(CHAPTER_TESTS:%.c=$(BUILD)/%): %: %.o $(BUILD)/libtest.a \
		$$(call linked_with,$$@) $(ARCHIVES)
$(PROGRAMS) $(LABS) $(TESTS): | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LDLIBS) $(OPENMP)
$(TESTS): LDLIBS += $(CMOCKA_LIBS)

# --- What not every machine has ----------------------------------------------
# CMocka may lie outside the compiler's path (Homebrew): pkg-config knows.
CMOCKA_FLAGS = $$(pkg-config --cflags cmocka 2>/dev/null)
CMOCKA_LIBS = $$(pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)
NEED_CMOCKA = $(CHAPTER_TESTS) $(COMMON_TESTS) $(FOR_TESTS)
$(NEED_CMOCKA:%.c=$(BUILD)/%.o): CFLAGS += $(CMOCKA_FLAGS)
$(NEED_CMOCKA:%.c=$(BUILD)/%.o): | $(BUILD)/cmocka
$(BUILD)/cmocka:
	@mkdir -p $(@D)
	@sh tools/need.sh cmocka
	@touch $@

# One line if a program is missing, before anything is built for it.
need-%:
	@sh tools/need.sh $*

# Without OpenMP its pragmas are skipped, and the program runs on one thread.
OPENMP = $$(cat $(BUILD)/openmp)
$(BUILD)/openmp: $(BUILD)/flags
	@mkdir -p $(@D)
	@sh tools/first_flag.sh -fopenmp -Wno-unknown-pragmas >$@

# --- Threads, and targets ----------------------------------------------------

PARALLEL = $(addprefix $(BUILD)/,common/threads.o common/speed/peak.o \
             06_flash2/fast/query_blocks.o 06_flash2/fast/amx_heads.o)
$(PARALLEL): CFLAGS += $(OPENMP)
$(PARALLEL): | $(BUILD)/openmp

# Where speed is the subject: $(FAST), for the machine at hand, or with PORTABLE=1
# once for each of several, of which the program takes the best that the CPU
# runs (common/speed/targets.h).
$(BUILD)/%.native.o: FOR = native $$(cat $(BUILD)/native)
$(BUILD)/%.avx512.o: FOR = avx512 -mavx512f -mavx2 -mfma \
                           -mprefer-vector-width=512
$(BUILD)/%.avx2.o: FOR = avx2 -mavx2 -mfma
$(BUILD)/%.base.o: FOR = base
$(BUILD)/%.amx.o: FOR = amx $(AMX)
$(BUILD)/%.vdpbf16.o: FOR = vdpbf16 $(AVX512_BF16)
# Emulated vectors: -O3 takes minutes to compile them. No product of a step on
# tiles is contracted, so that all its targets round alike.
$(BUILD)/%.model.o: FOR = model -O2 -Wno-psabi -ffp-contract=off

define compile_for_target
@mkdir -p $(@D)
$(call say,compile,$(<:.c=.$(firstword $(FOR))))
$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(FAST) -ffp-contract=fast -DTARGET=$(FOR) \
	-MMD -MP -c $< -o $@
endef
define rule_for_target
$(BUILD)/%.$(1).o: %.c $(BUILD)/flags | $(if $(filter native,$(1)),$(BUILD)/native)
	$$(compile_for_target)
endef
$(foreach t,native avx512 avx2 base amx vdpbf16 model,$(eval $(call rule_for_target,$(t))))

# What clang 19 says about its own choice is no concern of a reader's.
QUIET_NATIVE = -march=native -Wno-invalid-feature-combination
# Compilers keep to half of AVX-512's width by themselves.
$(BUILD)/native: $(BUILD)/flags
	@mkdir -p $(@D)
	@{ sh tools/first_flag.sh -march=native '$(QUIET_NATIVE)' \
	      -mcpu=native && \
	   sh tools/first_flag.sh -mprefer-vector-width=512; } >$@

# A peer of bench-peers is to be as fast as it can, and so is a copy of a step.
PEER = $(addprefix $(BUILD)/docs/lab/,three_calls.o without.o)
$(PEER): CFLAGS += -O3 -ffp-contract=fast $$(cat $(BUILD)/native) $(OPENMP)
$(PEER): | $(BUILD)/native $(BUILD)/openmp

include tools/maintainers.mk
-include 06_flash2/ring/ring.mk \
         07_cuda/cuda_on_cpu/cuda_on_cpu.mk 07_cuda/07_cuda.mk \
         07_cuda/cuda_check/cuda_check.mk 07_cuda/oracles/oracles.mk \
         07_cuda/witness/witness.mk 06_flash2/library/library.mk tools/book/book.mk \
         tools/assurance/assurance.mk

# --- Reading and running -----------------------------------------------------

# What a reader needs, in the order in which it is needed.
TO_READ = tour chapter-NN diff-NN exercise-NN watch-NN hint-NN solution-NN \
          reset-NN progress test-NN plot-NN test moving cuda-check book
## help            list the targets
RULES := Makefile $(wildcard tools/*.mk 0*/*.mk 0*/*/*.mk tools/*/*.mk)
help:
	@echo "FlashAttention, one step at a time. NN is one of: $(NUMBERS)"
	@awk -v first='$(TO_READ)' ' \
		/^## / { line[$$2] = "  make " substr($$0, 4); name[n++] = $$2 } \
		END { m = split(first, f, " "); print ""; \
			for (i = 1; i <= m; i++) { print line[f[i]]; seen[f[i]] = 1 } \
			print "\nfor maintainers:"; \
			for (i = 0; i < n; i++) if (!seen[name[i]]) print line[name[i]]; \
		}' $(RULES)
	@echo
	@echo "next: make tour"

## tour            run every chapter, draw its plots (PLOT=dumb: in text)
.PHONY: programs
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(getconf _NPROCESSORS_ONLN || echo 2))
# With the program that the page before the first chapter has its reader type.
TOURED = $(PROGRAMS) $(RING_TOUR) $(BUILD)/docs/lab/pictures
programs: $$(TOURED)
tour: need-compiler
	+$(call build_all,programs,$(TOURED))
	@UNBUILT="$(UNBUILT)" PLOTTED='$(DRAWING)' RING='$(RING_TOUR)' \
		sh tools/tour.sh $(patsubst $(BUILD)/%/run,%,$(PROGRAMS))

# One that does not build takes no others down: it ends up in UNBUILT.
UNBUILT = $$(tr '\n' ' ' <$(BUILD)/unbuilt)
define build_all
@mkdir -p $(BUILD) && : >$(BUILD)/unbuilt
@$(MAKE) --no-print-directory $(JOBS) -k $(1) || for program in $(2); do \
	$(MAKE) --no-print-directory $$program >/dev/null 2>&1 || \
		echo $$program >>$(BUILD)/unbuilt; done
endef

## chapter-NN      build a chapter; ./run is then its program
$(NUMBERS:%=chapter-%): chapter-%: $(BUILD)/$$(call folder,$$*)/run
	@ln -sfn $< run
	@sh tools/read.sh $*
	@echo "next: ./run"

## diff-NN         the main steps beside the one before: what changed (STEP=, ALL=1)
$(NUMBERS:%=diff-%): diff-%:
	@sh tools/stepdiff.sh $* "$$STEP"
	@echo "next: make exercise-$*"

## plots           draw all plots anew: those of the pages, in docs/plots
plots: need-gnuplot $$(PROGRAMS) $$(LAB_DATA)
	@PLOTS=docs/plots sh tools/plot.sh $(PLOTTED)
	@echo "next: git diff --stat docs/plots"

## plot-NN         draw a chapter's plots (PLOT=dumb: on the terminal)
$(PLOT_NN:%=plot-%): plot-%: need-gnuplot $(BUILD)/$$(call folder,$$*)/run
	@sh tools/plot.sh $(call folder,$*)
	@echo "next: open docs/$(call folder,$*).md"
$(patsubst %,plot-%,$(filter-out $(PLOT_NN),$(NUMBERS))):
	@echo "$@: this chapter draws nothing (NN: $(PLOT_NN))" >&2; exit 2

## moving          what a number costs here: to multiply it, to fetch it
moving: $(BUILD)/docs/lab/moving
	@$<

## bench           every step of 04-06 at this machine's speed (minutes)
## bench-quick     the same in under a minute
bench bench-quick: $(BUILD)/docs/lab/bench
	@$< $(filter quick,$(subst -, ,$@))

## bench-peers     the fast steps beside the libraries that make peers installs
# FLASH2_TARGET=avx2: beside those who can be held to AVX2.
VENV = $(BUILD)/venv
# The first Python with NumPy.
NUMPY = $$(for p in "$$PYTHON" $(VENV)/bin/python python3 /usr/bin/python3; do \
	"$$p" -c 'import numpy' 2>/dev/null && echo "$$p" && break; done)
bench-peers: lib need-numpy
	@for what in forward back; do \
		$(NUMPY) docs/lab/peers.py $(LIB) $$what || exit; done
	@OMP_NUM_THREADS=1 $(NUMPY) docs/lab/peers.py $(LIB) forward

# What it calls beside the library, in whose folder it is.
bench-peers lab-check: LIB_FILES += peers.so
$(LIB)/peers.so: $(addprefix $(BUILD)/docs/lab/,peers.o three_calls.o \
		bench_problem.o) $(STEPS_O) $(ARCHIVES)
	$(call say,link   ,$@)
	$(Q)$(CC) $(CFLAGS) -shared -o $@ $^ $(LDLIBS) $(OPENMP)

# PyTorch's own index has a build for the CPU alone, of 0.2 GB in place of 3.
PIP = $(VENV)/bin/python -m pip install -q
## peers           install NumPy, PyTorch, ONNX Runtime, OpenVINO in build/venv
peers:
	@python3 -m venv $(VENV)
	@$(PIP) --index-url https://download.pytorch.org/whl/cpu torch || $(PIP) torch
	@$(PIP) numpy onnx onnxruntime openvino
	@echo "next: make bench-peers"

# --- Exercises ---------------------------------------------------------------

# The tests of an exercise see common/ and the learner's file, no chapter. They
# are compiled as the grader compiles, with sanitizers, so that what passes here
# passes there; chapter 07's are not (its emulator sees as much), nor are judges.
SANITIZED = $(FOR_EXERCISES:$(BUILD)/%=$(BUILD)/sanitize/%)
EXERCISE = $(EXERCISE_CUDA) \
           FLAGS="$(filter-out -I.,$(CPPFLAGS) $(CFLAGS)) $(CMOCKA_FLAGS)" \
           ARCHIVES="$(FOR_EXERCISES)" SANITIZED="$(SANITIZED)" \
           ANSWER_LIBS="$(LDLIBS) $(OPENMP)" \
           LIBS="$(LDLIBS) $(CMOCKA_LIBS) $(OPENMP)"
# The headers that an answer finds: none of what judges it.
ANSWER_H := $(shell find common 0[1-7]_* -path common/judge -prune -o \
              -path common/testing -prune -o -name remote_cuda.h -o \
              -name '*.h' -print -o -name '*.cuh' -print) common/testing/todo.h
$(BUILD)/answer/made: $(ANSWER_H)
	@rm -rf $(@D) && mkdir -p $(@D)
	@tar -cf - $(ANSWER_H) | tar -xf - -C $(@D)
	@touch $@
.PHONY: sanitized
sanitized: $(BUILD)/sanitizers $(BUILD)/answer/made
	+@$(MAKE) $(if $(V),,-s) --no-print-directory $(JOBS) \
		BUILD=$(BUILD)/sanitize OPT="$$(cat $<)" $(SANITIZED)
# A compiler without any does without, and exercise.sh says so.
$(BUILD)/sanitizers: $(BUILD)/flags
	@sh tools/first_flag.sh '$(SANITIZE)' '-O1 -g' >$@
EXERCISES := $(patsubst %/exercise,%,$(wildcard $(CHAPTERS:%=%/exercise)))
TO_SOLVE := $(foreach c,$(EXERCISES),$(firstword $(subst _, ,$(c))))


## exercise-NN     start a chapter's exercise in work/NN; test what is there
## watch-NN        the same, again whenever the file is saved
## solution-NN     ours, once yours passes (or FORCE=1)
## grade-NN        an exercise's tests on any file: make grade-03 FILE=my.c
$(foreach n,$(TO_SOLVE),$(addsuffix -$(n),exercise watch solution grade)): \
		sanitized | $(BUILD)/openmp
	@$(EXERCISE) $(one_exercise) "$$FILE"
one_exercise = sh tools/exercise.sh $(firstword $(subst -, ,$@)) \
	$(filter $(lastword $(subst -, ,$@))_%,$(EXERCISES)) "$$E"

## hint-NN         one hint more, or N=2 (E=NAME where there are several)
## reset-NN        an exercise from its beginning; what you wrote is kept
$(foreach n,$(TO_SOLVE),hint-$(n) reset-$(n)):
	@$(one_exercise)

## progress        all exercises, and how far each is
progress: sanitized | $(BUILD)/openmp
	@$(EXERCISE) sh tools/exercise.sh progress $(EXERCISES)

# What grading needs (tools/grade): of each exercise a judge, and what goes into a
# sandbox. A file's is made when it is asked for, a class's before it.
GRADED := $(patsubst %/remote.txt,%, \
            $(wildcard $(CHAPTERS:%=%/exercise/*/remote.txt)))
MADE = $(BUILD)/grade
id_of = $(firstword $(subst _, ,$(1)))_$(notdir $(1))
made_of = $(foreach it,$(1),$(MADE)/$(call id_of,$(it))/made)
$(MADE)/made: $(FOR_EXERCISES) tools/exercise_lib.sh $(wildcard tools/grade/*.*) \
		$(BUILD)/answer/made | sanitized
	@sh tools/need.sh bwrap seccomp
	@mkdir -p $(@D) && touch $@
define rule_for_judge
$(call made_of,$(1)): $(MADE)/made $$(wildcard $(1)/*.* $(1)/solution/* \
		07_cuda/exercise/*.*h) | $(BUILD)/openmp
	@$$(EXERCISE) sh tools/grade/kit.sh $$(@D) $(1)
	@touch $$@
endef
$(foreach it,$(GRADED),$(eval $(call rule_for_judge,$(it))))
# A handout has no grader: there, too, and what is the teacher's says so.
GRADER := $(wildcard tools/grade/kit.sh)
TEACHER = [ "$(GRADER)" ] || { echo "make $@: for a teacher; this is a handout" >&2; exit 2; }
ifneq ($(GRADER),)
its_judge = $(call made_of,$(filter %/$(or $(E),$(basename $(notdir $(FILE)))), \
              $(filter $(1)_%,$(GRADED))))
$(TO_SOLVE:%=grade-%): grade-%: | $$(if $$(TRUST),,$$(call its_judge,$$*))
endif

## grade           a class: DIR=submissions CSV=grades.csv CHAPTER=03
OF_CLASS = $(call made_of,$(filter $(CHAPTER)%,$(GRADED)))
.PHONY: judges
judges: $(OF_CLASS)
grade: $(if $(GRADER),$(OF_CLASS))
	@$(TEACHER); /usr/bin/python3 -BEs tools/grade/class.py $(MADE) "$$DIR" "$$CSV"

## handout         the course as a student gets it: TO=dir
handout:
	@$(TEACHER); sh tools/classroom/handout.sh "$$TO"

## gradescope      its autograder's zip (CHAPTER=03 OUT=build/autograder.zip)
gradescope:
	@$(TEACHER); [ "$(OF_CLASS)" ] || { echo "CHAPTER=$$CHAPTER: has no exercise" >&2; exit 2; }
	@git archive --format=zip -o "$${OUT:-$(BUILD)/autograder.zip}" \
		--add-file=tools/classroom/gradescope/setup.sh \
		--add-file=tools/classroom/gradescope/run_autograder \
		--add-virtual-file=settings:"CHAPTER=$$CHAPTER VARIANT=$$VARIANT" \
		--prefix=flashattention/ HEAD
	@echo "next: upload it as the autograder of a programming assignment"

## check-grade     does grading withstand hostile submissions
## check-class     the same of every mistake, and a class of 200 (an hour)
ALL_MADE = $(call made_of,$(GRADED))
check-grade check-class: $(ALL_MADE)
	@$(EXERCISE) /usr/bin/python3 -BEs tools/grade/test/test.py $(MADE) \
		$(if $(filter check-class,$@),all)
	@echo "next: make check"

## check-classroom  the handout, Gradescope's zip, what courses' servers read
check-classroom: $(ALL_MADE)
	@sh tools/classroom/test.sh
	@echo "next: make check"

# --- Tests -------------------------------------------------------------------

## test            run all tests (ONLY='big_*': those of that name)
.PHONY: test-programs
test-programs: $$(ALL_TESTS)
test: need-compiler $(BUILD)/cmocka
	+$(call build_all,test-programs,$(ALL_TESTS))
	@UNBUILT="$(UNBUILT)" sh tools/test.sh $(ALL_TESTS)
	@echo "next: make exercise-$(firstword $(TO_SOLVE) $(NUMBERS))"

## test-NN         run a chapter's tests
$(NUMBERS:%=test-%): test-%: $$(call tests_of,$$*)
	@sh tools/test.sh $^
	@echo "next: make exercise-$*"

## wrong-NN        a typical mistake as a file (E=NAME, N=WHICH; no N: all)
$(TO_SOLVE:%=wrong-%): wrong-%:
	@$(TEACHER); sh tools/wrong.sh $(filter $*_%,$(EXERCISES)) "$$E" "$$N"

## check-exercises do skeletons fail, solutions pass, mistakes fail (E=NAME)
check-exercises: sanitized | $(BUILD)/openmp
	@$(EXERCISE) sh tools/check_exercises.sh \
		$(patsubst %/.,%,$(wildcard $(EXERCISES:%=%/exercise/$(or $(E),*)/.)))
	@echo "next: make check"

## clean           remove what was built; work/ stays
clean:
	rm -rf $(BUILD) run
	@echo "next: make tour"

# No target that has a line of help is a file.
.PHONY: $(shell sed -n 's/^## \([a-z-]*\) .*/\1/p' $(RULES)) \
        $(foreach n,$(NUMBERS),$(addsuffix -$(n),chapter diff plot test)) \
        $(foreach n,$(TO_SOLVE),$(addsuffix -$(n),exercise watch hint solution \
          reset grade wrong))

# The chapters that are not there, and targets whose NN was forgotten.
define no_such
@echo "$@: there is no such chapter or exercise (NN: $(NUMBERS))" >&2; \
$(if $(LEFT_OUT),echo "$(LEFT_OUT)" >&2;) exit 2
endef
NEED_NN = chapter diff plot exercise hint
.PHONY: $(NEED_NN)
$(NEED_NN): ; @echo "make $@-NN: which chapter? (NN: $(NUMBERS))" >&2; exit 2
$(addsuffix -%,chapter diff plot test exercise watch solution reset hint grade \
	wrong):
	$(no_such)
