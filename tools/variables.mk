# variables.mk: the variables that a user gives to make: make exercise-03 E=NAME.

# Only make's command line sets these variables; the environment does not. A recipe must
# use "$$E", a shell variable: with $(E) the shell would execute the value as code.
GIVEN = ALL ARGS BC BEST CHAPTER CSV D DIR E FILE FORCE FORMAT HAND INCLUDE LATE N ONLY \
        OUT REPEAT ROSTER ROWS RUNG STD STEP STEPS TO TYPES VARIANT
# Grading stops if the environment sets one of these variables.
ifneq ($(filter grade grade-% gradescope,$(MAKECMDGOALS)),)
$(foreach name,BEST CHAPTER CSV DIR E FILE FORMAT HAND LATE OUT ROSTER VARIANT, \
  $(if $(filter environment,$(origin $(name))),$(if $(value $(name)),$(error \
    $(name): is set in the environment; give it to make: make $(MAKECMDGOALS) \
    $(name)=...))))
endif
# The environment's values become empty. Those of the command line are not expanded.
$(foreach name,$(GIVEN),$(eval $(name) =))
$(foreach name,$(GIVEN),$(eval override $(name) := $$(value $(name))))
export $(GIVEN)

# `make exercise-03 e=NAME` would run without E, so it is an error.
KNOWN = $(GIVEN) BUILD CARD CARDS CC CXX DESTDIR FILES NO_CUDA NVCC_ARCH OPT PART PLOT \
        PORTABLE PREFIX QUICK RANKS SECONDS STRICT SYSTEMS V
$(foreach name,$(shell echo $(KNOWN) | tr A-Z a-z), \
  $(if $(filter command,$(origin $(name))),$(error \
    $(name): no such variable; use $(shell echo $(name) | tr a-z A-Z)=...)))
