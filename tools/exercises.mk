# exercises.mk: targets for the exercises (docs/exercises.md).

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
ANSWER_H := $(shell find common 0[1-7]_* tools/emulator/include \
              tools/emulator/*/include -path common/judge -prune -o \
              -path common/testing -prune -o \
              -name '*.h' -print -o -name '*.cuh' -print) common/testing/todo.h
$(BUILD)/answer/made: $(ANSWER_H) tools/exercises.mk $(BUILD)/flags
	@rm -rf $(@D) && mkdir -p $(@D)
	@tar -cf - $(ANSWER_H) | tar -xf - -C $(@D)
	@echo '#include <math.h>' | $(CC) -D_XOPEN_SOURCE=700 -dM -E -x c - | \
		grep -E '^#define (M_|MAXFLOAT)' >$(@D)/math_constants.h
	@touch $@
.PHONY: sanitized
sanitized: $(BUILD)/sanitizers $(BUILD)/answer/made $(BUILD)/openmp $(BUILD)/native
	+@$(MAKE) $(if $(V),,-s) --no-print-directory $(JOBS) \
		BUILD=$(BUILD)/sanitize OPT="$$(cat $<)" $(SANITIZED)
# The flags of the sanitizers. The fallback has none, and exercise.sh then prints a note.
$(BUILD)/sanitizers: $(BUILD)/flags
	@sh tools/first_flag.sh '$(SANITIZE)' '-O1 -g' >$@
EXERCISES := $(patsubst %/exercise,%,$(wildcard $(CHAPTERS:%=%/exercise)))
TO_SOLVE := $(foreach c,$(EXERCISES),$(firstword $(subst _, ,$(c))))

## exercise-NN     start an exercise in work/NN, then test your file
## watch-NN        test your file each time that you save it
## solution-NN     print our solution, after yours passes (or FORCE=1)
$(foreach n,$(TO_SOLVE),$(addsuffix -$(n),exercise watch solution)): sanitized
	$(clear)
	@$(EXERCISE) $(one_exercise)
one_exercise = sh tools/exercise.sh $(firstword $(subst -, ,$@)) \
	$(filter $(lastword $(subst -, ,$@))_%,$(EXERCISES)) "$$E"

## hint-NN         print the next hint, or hint N=2 (E=NAME)
## reset-NN        start an exercise again; your file is kept
$(foreach n,$(TO_SOLVE),hint-$(n) reset-$(n)):
	@$(one_exercise)

## progress        print the state of all exercises
progress: sanitized
	@$(EXERCISE) sh tools/exercise.sh progress $(EXERCISES)

# libanswer.a has the functions that a learner's file may call.
FOR_ANSWERS := $(wildcard common/*.c) common/testing/todo.c
$(BUILD)/libquestion.a: $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(FOR_ANSWERS) \
		$(addprefix common/lesson/,softmax/% \
		  $(addprefix attention/,toy.c toy_backward.c visits.c)) \
		$(addprefix common/,npy/% print/% speed/% testing/contract/%), \
		$(COMMON) $(FOR_TESTS)))
$(BUILD)/libanswer.a: $(FOR_ANSWERS:%.c=$(BUILD)/%.o)
FOR_EXERCISES = $(BUILD)/libquestion.a $(BUILD)/libanswer.a

# A handout has no tools/grade, so its targets for teachers print an error.
ifeq ($(wildcard tools/grade/grade.mk),)
FOR_TEACHERS = grade handout gradescope $(TO_SOLVE:%=grade-%) $(TO_SOLVE:%=wrong-%)
.PHONY: $(FOR_TEACHERS)
$(FOR_TEACHERS):
	@echo "make $@: for teachers only; this is a handout" >&2; exit 2
endif

## check-exercises test skeletons, solutions and typical mistakes (E=NAME)
check-exercises: sanitized
	@$(EXERCISE) sh tools/check_exercises.sh \
		$(patsubst %/.,%,$(wildcard $(EXERCISES:%=%/exercise/$(or $(E),*)/.)))
	@echo "next: make check"
