# learners.mk: the commands of learners. `make help` lists them in this order.

# Targets that take more than half a minute print the time first.
announce-tour announce-test announce-test-07 announce-exercise-07 announce-lib:
	@echo "make $(@:announce-%=%): takes $(TAKES) the first time, on two cores"
announce-tour: TAKES = 2 to 3 minutes
announce-test: TAKES = about 3 minutes
announce-test-07: TAKES = several minutes
announce-exercise-07: TAKES = about half a minute
announce-lib: TAKES = several minutes
tour test lib $(if $(LEFT_OUT),,test-07): %: | announce-%
sanitized: | $(if $(wildcard $(BUILD)/07_cuda/*.a),, \
               $(patsubst %,announce-%,$(filter exercise-07,$(MAKECMDGOALS))))

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

## tour            run every chapter and draw its plots (2 to 3 minutes)
tour: need-compiler
	+$(call build_all,programs,$(PROGRAMS) $(CUDA_PROGRAMS) $(RING_TOUR))
	@UNBUILT="$(UNBUILT)" PLOTTED='$(DRAWING)' RING='$(RING_TOUR)' \
		sh tools/tour.sh $(CHAPTERS)

## chapter-NN      build a chapter's program, and link ./run to it
$(NUMBERS:%=chapter-%):
	$(call link,run)
	@sh tools/what_to_read.sh $(@:chapter-%=%)
	@echo "next: ./run"

## diff-NN         show what each step changes (STEP=NAME, ALL=1)
$(NUMBERS:%=diff-%): diff-%:
	@sh tools/stepdiff.sh $* "$$STEP"
	@echo "next: make exercise-$*"

# --- Exercises (docs/exercises.md) --------------------------------------------

# The tests of an exercise link files of common/ and the learner's file, no chapter. The
# exercises of chapter 07 have no sanitizers, because the emulator checks accesses. The
# judges have none either.
SANITIZED = $(FOR_EXERCISES:$(BUILD)/%=$(BUILD)/sanitize/%)
EXERCISE = $(EXERCISE_CUDA) \
           FLAGS="$(filter-out -I.,$(CPPFLAGS) $(CFLAGS)) $(CMOCKA_FLAGS)" \
           ARCHIVES="$(FOR_EXERCISES)" SANITIZED="$(SANITIZED)" \
           ANSWER_LIBS="$(LDLIBS) $(OPENMP)" \
           LIBS="$(LDLIBS) $(CMOCKA_LIBS) $(OPENMP)"
# The headers that a learner's file may include, without those of the tests and the judge.
ANSWER_H := $(shell find common 0[1-7]_* \
              $(wildcard tools/emulator/include tools/emulator/*/include) \
              -path common/judge -prune -o -path common/testing -prune -o \
              -name '*.h' -print -o -name '*.cuh' -print) common/testing/todo.h
$(BUILD)/answer/made: $(ANSWER_H) tools/learners.mk $(BUILD)/flags
	@rm -rf $(@D) && mkdir -p $(@D)
	@tar -cf - $(ANSWER_H) | tar -xf - -C $(@D)
	@echo '#include <math.h>' | $(CC) -D_XOPEN_SOURCE=700 -dM -E -x c - | \
		grep -E '^#define (M_|MAXFLOAT)' >$(@D)/math_constants.h
	@touch $@
.PHONY: sanitized
sanitized: $(BUILD)/sanitizers $(BUILD)/answer/made $(BUILD)/openmp $(BUILD)/native
	+@$(MAKE) $(if $(V),,-s) --no-print-directory $(JOBS) \
		$(IN_SANITIZE) OPT="$$(cat $<)" $(SANITIZED)
# With -O2 and -g1 gcc compiles the fast kernels in two thirds of the time.
IN_SANITIZE = BUILD=$(BUILD)/sanitize FAST='-O2 -g1'
SANITIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
           -fno-sanitize-recover=all
# The flags of the sanitizers. The fallback has none, and exercise.sh then prints a note.
$(BUILD)/sanitizers: $(BUILD)/flags
	@sh tools/first_flag.sh '$(SANITIZE)' '-O1 -g' >$@
EXERCISES := $(patsubst %/exercise,%,$(wildcard $(CHAPTERS:%=%/exercise)))
TO_SOLVE := $(foreach c,$(EXERCISES),$(firstword $(subst _, ,$(c))))

# libanswer.a has the functions that a learner's file may call.
FOR_ANSWERS := $(wildcard common/*.c) common/testing/todo.c
$(BUILD)/libquestion.a: $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(FOR_ANSWERS) \
		$(addprefix common/lesson/,softmax/% \
		  $(addprefix attention/,toy.c toy_backward.c visits.c)) \
		$(addprefix common/,npy/% print/% speed/% testing/contract/%), \
		$(COMMON) $(FOR_TESTS)))
$(BUILD)/libanswer.a: $(FOR_ANSWERS:%.c=$(BUILD)/%.o)
FOR_EXERCISES = $(BUILD)/libquestion.a $(BUILD)/libanswer.a

## exercise-NN     start an exercise in work/NN, then test your file
## watch-NN        test your file each time that you save it
## hint-NN         print the next hint, or hint N=2 (E=NAME)
## reset-NN        start an exercise again; your file is kept
## solution-NN     print our solution, after yours passes (or FORCE=1)
$(foreach n,$(TO_SOLVE),$(addsuffix -$(n),exercise watch solution)): sanitized
	$(clear)
	@$(EXERCISE) $(one_exercise)
one_exercise = sh tools/exercise.sh $(firstword $(subst -, ,$@)) \
	$(filter $(lastword $(subst -, ,$@))_%,$(EXERCISES)) "$$E"

$(foreach n,$(TO_SOLVE),hint-$(n) reset-$(n)):
	@$(one_exercise)

## progress        print the state of all exercises
progress: sanitized
	@$(EXERCISE) sh tools/exercise.sh progress $(EXERCISES)

# A handout has no tools/grade, so its targets for teachers print an error.
ifeq ($(wildcard tools/grade/grade.mk),)
FOR_TEACHERS = grade handout gradescope $(TO_SOLVE:%=grade-%) $(TO_SOLVE:%=wrong-%)
.PHONY: $(FOR_TEACHERS)
$(FOR_TEACHERS):
	@echo "make $@: for teachers only; this is a handout" >&2; exit 2
endif

# --- Tests, plots and programs --------------------------------------------------

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

## plot-NN         draw a chapter's plots (PLOT=dumb: on the terminal)
DRAWING := $(patsubst %/plot.gp,%,$(wildcard $(CHAPTERS:%=%/plot.gp)))
PLOT_NN := $(foreach c,$(DRAWING),$(firstword $(subst _, ,$(c))))
$(PLOT_NN:%=plot-%): plot-%: need-gnuplot
	@$(MAKE) --no-print-directory $(if $(V),,-s) \
		$(if $(LOSS),$(FLASH),$(call program,$(call folder,$*)))
	$(clear)
	@NEXT=1 sh tools/plot.sh $(call folder,$*)
$(patsubst %,plot-%,$(filter-out $(PLOT_NN),$(NUMBERS))):
	@echo "$@: this chapter has no plots (NN: $(PLOT_NN))" >&2; exit 2

## backward-NN     build a backward pass (from 05 on), and link ./run to it
BACKWARD = $(filter-out 01 02 03 04,$(NUMBERS))
$(patsubst %,backward-%,$(filter 05 06,$(BACKWARD))):
	$(call link,run)
	@echo "next: ./run"
$(patsubst %,backward-%,$(filter-out $(BACKWARD),$(NUMBERS))):
	@echo "$@: this chapter has no backward pass (NN: $(or $(BACKWARD),none))" \
		>&2; exit 2

## flash           build ./flash, which runs all steps on your own arrays
flash:
	$(call link,$@)
	@echo "next: ./flash --help"
no-flash:
	@echo "flash: needs chapters 01 to 06; 06_flash2 is missing" >&2; exit 2

## test            run all tests (3 minutes; ONLY='big_*': only these)
test: need-compiler $(BUILD)/cmocka
	+$(call build_all,test-programs,$(ALL_TESTS))
	@UNBUILT="$(UNBUILT)" sh tools/test.sh $(ALL_TESTS)
	@echo "next: make exercise-$(firstword $(TO_SOLVE) $(NUMBERS))"

## book            build the pages as a site in build/book (uses network)
# tools/book/book.mk has its rule.

## plot-precision  plot the errors for STEPS= BC= N= D= ROWS= TYPES=
# With options plot-03 and plot-precision draw the output of `flash precision`.
IS_CHANGED := $(strip $(N)$(ROWS)$(TYPES)$(REPEAT)$(STEPS)$(BC)$(D))
plot-03: export LOSS = $(if $(IS_CHANGED),softmax)
plot-precision: export LOSS = $(if $(IS_CHANGED),attention)
plot-precision: need-gnuplot $(if $(IS_CHANGED),$(FLASH))
	$(clear)
	@NEXT=1 sh tools/plot.sh docs/lab/precision.gp

## clean           remove all built files, but not work/
clean:
	rm -rf $(BUILD) run flash flash-cuda
	@echo "next: make tour"

## help-all        list every target
# The targets that need a chapter that is missing.
NO_HELP = $(if $(BACKWARD),,backward-NN) \
          $(if $(wildcard 06_flash2),,flash plot-precision) \
          $(if $(wildcard tools/book),,book)
help help-all:
	@echo "FlashAttention, one step at a time. NN is one of: $(NUMBERS)"
	@echo
	@awk -v none=' $(NO_HELP) ' ' \
		/^## / && !index(none, " " $$2 " ") { \
			name = $$2; sub(/^## [^ ]* */, ""); \
			printf "  make %-16s %s\n", name, $$0 \
		}' $(if $(filter help-all,$@),$(RULES),tools/learners.mk)
	@echo
	@echo "next: make tour"

# --- Errors -----------------------------------------------------------------------

# ./run is a link, which chapter-NN makes.
.PHONY: run
run:
	@echo "make run: no such target; use make chapter-NN && ./run" >&2; exit 2

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
