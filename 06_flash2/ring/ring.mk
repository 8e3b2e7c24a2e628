# ring.mk: chapter 06 over the ranks of MPI. Nobody else needs it: where there
# is no mpicc, or no mpirun, all of it is left out, and one line says so.
#
# Of two that are installed the other one (BUILD: its objects are others):
#     make test-ring MPICC=mpicc.mpich MPIRUN=mpirun.mpich BUILD=build/mpich

MPICC = mpicc
MPIRUN = mpirun
export MPIRUN # for *.sh
ifeq ($(shell command -v $(firstword $(MPICC)) >/dev/null && \
          command -v $(firstword $(MPIRUN))),)
NO_MPI = ring: no MPI, left out (sh setup.sh --mpi installs it)
endif
export NO_MPI

RING := $(wildcard 06_flash2/ring/*.c 06_flash2/ring/*/*.c)
RING_TESTS := $(foreach f,$(RING),$(if $(filter test_%,$(notdir $(f))),$(f)))
RING_MAIN := 06_flash2/ring/program/main.c
RING_O = $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(RING_MAIN) $(RING_TESTS), \
           $(RING)))
RING_RUN = $(BUILD)/06_flash2/ring/run
RING_TEST = $(RING_TESTS:%.c=$(BUILD)/%)

$(RING:%.c=$(BUILD)/%.o): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,mpicc  ,$<)
	$(Q)OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC) $(CPPFLAGS) $(CFLAGS) \
		-fvisibility=hidden -MMD -MP -c $< -o $@
$(RING_TESTS:%.c=$(BUILD)/%.o): CFLAGS += $(CMOCKA_FLAGS)
$(RING_TESTS:%.c=$(BUILD)/%.o): | $(BUILD)/cmocka
-include $(wildcard $(RING:%.c=$(BUILD)/%.d))

# flash2 and its tiles, and common/. What is called like something of the C
# library's must not be found by MPI's libraries.
RING_WITH = $(addprefix $(BUILD)/06_flash2/,flash2.o traffic.o \
              backward/flash2_backward.o backward/traffic.o) $(ARCHIVES)
RING_LINK = OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC) $(CFLAGS) $(LDFLAGS) \
            $(if $(filter Linux,$(shell uname -s)),-Wl$(,)--exclude-libs$(,)ALL) \
            -o $@ $(filter %.o %.a,$^) $(LDLIBS) $(OPENMP)
, := ,

$(RING_RUN): $(RING_MAIN:%.c=$(BUILD)/%.o) $(RING_O) $$(RING_WITH) \
		| $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(RING_LINK)

$(RING_TEST): %: %.o $(RING_O) $(BUILD)/libtest.a \
		$$(RING_WITH) | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)$(RING_LINK) $(CMOCKA_LIBS)

## ring            build chapter 06 for many machines (needs MPI)
ifeq ($(NO_MPI),)
ring: $(RING_RUN)
	@echo "next: sh 06_flash2/ring/mpirun.sh 4 $(RING_RUN)"
else
ring:
	@echo "$(NO_MPI)"
endif

# --- Tests -------------------------------------------------------------------

# A test for each number of ranks: a script, that make test and its kin run. A
# sanitizer complains of what MPI keeps, valgrind has a target of its own.
RING_LEFT_OUT = $(NO_MPI)$(findstring sanitize,$(OPT))$(WRAP)
RANKS = 1 2 3 8
RING_TESTED = $(if $(RING_LEFT_OUT),, \
                $(foreach n,$(RANKS),$(RING_TEST:%=%_$(n))) \
                $(BUILD)/06_flash2/ring/programs)
WOVEN += $(if $(NO_MPI),,$(RING_RUN))
RING_TOUR = $(if $(RING_LEFT_OUT),,$(RING_RUN))
ALL_TESTS += $(RING_TESTED)

ranks_of = $(lastword $(subst _, ,$(1)))
$(foreach n,1 2 3 4 5 6 7 8,$(RING_TEST:%=%_$(n))): $$(RING_TEST) \
		06_flash2/ring/mpirun.sh
	@printf '#!/bin/sh\nexec sh %s %s %s\n' 06_flash2/ring/mpirun.sh \
		$(call ranks_of,$@) $(@:%_$(call ranks_of,$@)=%) >$@
	@chmod +x $@

$(BUILD)/06_flash2/ring/programs: 06_flash2/ring/test_program.sh $(RING_RUN) \
		$(BUILD)/06_flash2/run
	@printf '#!/bin/sh\nexec sh %s %s %s\n' $< $(RING_RUN) \
		$(BUILD)/06_flash2/run >$@
	@chmod +x $@

## test-ring       test it with 1, 2, 3 and 8 ranks (RANKS='1 2 3 4 5 6 7 8')
ifeq ($(NO_MPI),)
test-ring: $$(RING_TESTED)
	@LEFT_OUT= sh tools/test.sh $^
	@echo "next: make test-ring-all"

## test-ring-all   the same with 1 to 8 ranks
test-ring-all:
	@$(MAKE) --no-print-directory RANKS='1 2 3 4 5 6 7 8' test-ring

## valgrind-ring   two ranks under valgrind
valgrind-ring: need-valgrind $(BUILD)/06_flash2/ring/test_ring \
		$(BUILD)/06_flash2/ring/test_ring_backward
	@sh 06_flash2/ring/valgrind.sh $(filter $(BUILD)/%,$^)
	@echo "next: make test-ring-hosts"

## test-ring-hosts ranks on hosts of their own (network namespaces, as root)
test-ring-hosts: $(RING_RUN)
	@sh 06_flash2/ring/hosts.sh 4 $(RING_RUN)
	@echo "next: open docs/ring.md"
else
test-ring test-ring-all valgrind-ring test-ring-hosts:
	@echo "$(NO_MPI)"
endif

# Whose keys are where when: needs no MPI.
$(BUILD)/docs/lab/ring: 06_flash2/ring/rounds.awk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec awk -f %s\n' $< >$@
	@chmod +x $@
