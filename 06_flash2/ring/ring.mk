# ring.mk: chapter 06 over the ranks of MPI. Without mpicc or mpirun, the targets ring,
# test-ring and valgrind-ring only print how to install MPI.
#
# With another installed MPI (in another BUILD, because its objects differ):
#     make test-ring MPICC=mpicc.mpich MPIRUN=mpirun.mpich BUILD=build/mpich

MPICC = mpicc
MPIRUN = mpirun
export MPIRUN # for *.sh
ifeq ($(shell command -v $(firstword $(MPICC)) >/dev/null && \
          command -v $(firstword $(MPIRUN))),)
NO_MPI = ring: no MPI, left out (sh setup.sh --mpi installs it)
endif
export NO_MPI

RING := $(wildcard 06_flash2/ring/*.c)
RING_RUN = $(BUILD)/06_flash2/ring/run
RING_TEST = $(BUILD)/06_flash2/ring/test_ring
RING_O = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/main.c %/test_ring.c,$(RING)))

$(RING:%.c=$(BUILD)/%.o): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,mpicc  ,$<)
	$(Q)OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC) $(CPPFLAGS) $(CFLAGS) \
		-fvisibility=hidden -MMD -MP -c $< -o $@
$(RING_TEST).o: CFLAGS += $(CMOCKA_FLAGS)
$(RING_TEST).o: | $(BUILD)/cmocka
-include $(wildcard $(RING:%.c=$(BUILD)/%.d))

# The objects of flash2, its backward pass and their traffic; the archives of common/.
# The program must not export its symbols: MPI's libraries would call a function of ours
# that has the name of a C library function.
RING_WITH = $(BUILD)/05_flash1/traffic.o $(addprefix $(BUILD)/06_flash2/, \
              flash2.o traffic.o backward/flash2_backward.o \
              backward/traffic.o) $(ARCHIVES)
$(RING_RUN): $(BUILD)/06_flash2/ring/main.o
$(RING_TEST): $(RING_TEST).o $(BUILD)/libtest.a
$(RING_TEST): LDLIBS += $(CMOCKA_LIBS)
$(RING_RUN) $(RING_TEST): $(RING_O) $(RING_WITH) | $(BUILD)/openmp
	$(call say,link   ,$@)
	$(Q)OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC) $(CFLAGS) $(LDFLAGS) \
		$(if $(filter Linux,$(shell uname -s)),-Wl$(,)--exclude-libs$(,)ALL) \
		-o $@ $(filter %.o %/libtest.a,$^) $(ARCHIVES) $(LDLIBS) $(OPENMP)
, := ,

## ring            build attention for many machines (needs MPI)
ifeq ($(NO_MPI),)
ring: $(RING_RUN)
	@echo "next: sh 06_flash2/ring/mpirun.sh 4 $(RING_RUN)"
else
ring:
	@echo "$(NO_MPI)"
	@echo "next: sh setup.sh --mpi"
endif

# --- Tests -------------------------------------------------------------------

# make test also runs test_program.sh, except with sanitizers and under valgrind.
# Sanitizers report memory that MPI does not free. valgrind has its own target.
RING_LEFT_OUT = $(NO_MPI)$(findstring sanitize,$(OPT))$(WRAP)
RANKS = 1 2 3 8
export RANKS # for the script
RING_TESTED = $(if $(RING_LEFT_OUT),,$(BUILD)/06_flash2/ring/tests)
WOVEN += $(if $(NO_MPI),,$(RING_RUN))
RING_TOUR = $(if $(RING_LEFT_OUT),,$(RING_RUN))

$(BUILD)/06_flash2/ring/tests: 06_flash2/ring/test_program.sh $(RING_RUN) \
		$(RING_TEST)
	@printf '#!/bin/sh\nexec sh %s %s $$RANKS\n' $< $(BUILD) >$@
	@chmod +x $@

## test-ring       test it with 1, 2, 3 and 8 ranks (RANKS='1 2 3 4')
ifeq ($(NO_MPI),)
test-ring: $(RING_TESTED)
	@LEFT_OUT= sh tools/test.sh $^
	@echo "next: make valgrind-ring"

## valgrind-ring   two ranks under valgrind
valgrind-ring: need-valgrind $(RING_TEST)
	@sh 06_flash2/ring/mpirun.sh 2 valgrind -q --error-exitcode=9 \
		--suppressions=06_flash2/ring/valgrind.supp $(RING_TEST)
	@echo "next: open docs/ring.md"
else
test-ring valgrind-ring:
	@echo "$(NO_MPI)"
	@echo "next: sh setup.sh --mpi"
endif

# Prints the data of docs/lab/ring.gp. It needs no MPI.
$(BUILD)/docs/lab/ring: 06_flash2/ring/rounds.awk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec awk -f %s\n' $< >$@
	@chmod +x $@
