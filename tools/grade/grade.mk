# grade.mk: targets for teachers (docs/instructor.md).

# To grade an exercise, make builds its judge and the files of its sandbox (kit.sh). For
# one file it builds only those of the file's exercise.
GRADED := $(patsubst %/,%,$(dir $(shell grep -l '^ \* For the grader:$$' \
            $(CHAPTERS:%=%/exercise/*/test_*.c))))
MADE = $(BUILD)/grade
id_of = $(firstword $(subst _, ,$(1)))_$(notdir $(1))
made_of = $(foreach it,$(1),$(MADE)/$(call id_of,$(it))/made)
$(MADE)/made: $(FOR_EXERCISES) tools/exercise_lib.sh $(wildcard tools/grade/*.*) \
		$(BUILD)/answer/made | sanitized
	@sh tools/require.sh bwrap seccomp
	@mkdir -p $(@D) && touch $@
define rule_for_judge
$(call made_of,$(1)): $(MADE)/made $$(wildcard $(1)/*.* $(1)/solution/* \
		07_cuda/exercise/*.*h)
	@$$(EXERCISE) sh tools/grade/kit.sh $$(@D) $(1)
	@touch $$@
endef
$(foreach it,$(GRADED),$(eval $(call rule_for_judge,$(it))))

# A file runs in a sandbox, except with TRUST=1.
## grade-NN        grade a file: make grade-03 FILE=my.c
$(TO_SOLVE:%=grade-%): sanitized
	$(clear)
	@$(if $(TRUST),,$(foreach it,$(filter \
		%/$(or $(E),$(basename $(notdir $(FILE)))),$(filter $(@:grade-%=%)_%,$(GRADED))), \
		$(MAKE) --no-print-directory $(call made_of,$(it))))
	@$(EXERCISE) $(one_exercise) "$$FILE"

## wrong-NN        print typical mistake N=NAME of E=NAME (without N: all)
$(TO_SOLVE:%=wrong-%): wrong-%:
	@sh tools/wrong.sh $(filter $*_%,$(EXERCISES)) "$$E" "$$N"

# E lists exercises and chapters, separated by commas; class.py reports unknown ones.
## grade           grade a class: DIR=submissions CSV=grades.csv E=04
comma = ,
CHOSEN = $(subst $(comma), ,$(or $(E),$(CHAPTER)))
OF_CLASS = $(call made_of,$(if $(CHOSEN),$(filter \
	$(foreach it,$(CHOSEN),$(it)_% %/exercise/$(it)),$(GRADED)),$(GRADED)))
UNKNOWN = $(foreach it,$(CHOSEN),$(if $(filter $(it)_% %/exercise/$(it),$(GRADED)),,1))
.PHONY: judges
judges: $(OF_CLASS)
grade: $(OF_CLASS)
	@(. tools/environment.sh) # checks VARIANT
	@/usr/bin/python3 -BEs tools/grade/class.py $(MADE) "$$DIR" "$$CSV"

## handout         write the course for students: TO=dir (E=merge_parts,04)
handout:
	@sh tools/classroom/handout.sh "$$TO" "$$E"

## gradescope      write the autograder's zip (E=04 OUT=build/a.zip)
gradescope:
	@[ $(words $(UNKNOWN)) = 0 ] || { echo "E=$$E$$CHAPTER: no such exercises;" \
		"allowed: names or chapters, as in E=merge_parts,04" >&2; exit 2; }
	@(. tools/environment.sh) # checks VARIANT
	@echo "$$LATE" | grep -qxE '([0-9]{1,2}(\.[0-9]+)?|100)?' || { echo "LATE=$$LATE: no" \
		"percentage of the points per day; allowed: 0 to 100" >&2; exit 2; }
	@git archive --format=zip -o "$${OUT:-$(BUILD)/autograder.zip}" \
		--add-file=tools/classroom/gradescope/setup.sh \
		--add-file=tools/classroom/gradescope/run_autograder \
		--add-virtual-file=settings:"$$(for name in E CHAPTER VARIANT LATE BEST; do \
			eval "printf \"%s='%s'\\n\" $$name \"\$$$$name\""; done)" \
		--prefix=flashattention/ HEAD
	@echo "next: upload the zip as the autograder of a programming assignment"

## check-grade     test the grader with hostile submissions
## check-class     also test every mistake and a class of 200 (an hour)
ALL_MADE = $(call made_of,$(GRADED))
check-grade check-class: $(ALL_MADE)
	@$(EXERCISE) /usr/bin/python3 -BEs tools/grade/test/test.py $(MADE) \
		$(if $(filter check-class,$@),all)
	@echo "next: make check"

## check-classroom test handout, Gradescope's zip, results for servers
check-classroom: $(ALL_MADE)
	@sh tools/classroom/test.sh
	@echo "next: make check"

