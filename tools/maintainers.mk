# maintainers.mk: the commands of maintainers, who need the programs of setup.sh --dev.

# --- Checks -------------------------------------------------------------------

## sanitize        run all tests but 07's under ASan and UBSan (minutes)
sanitize:
	+@$(MAKE) --no-print-directory NO_CUDA=1 $(IN_SANITIZE) OPT='$(SANITIZE)' test
	@echo "next: make valgrind"

## valgrind        run all tests but 07's in valgrind (an hour; QUICK=1)
# Only definite leaks are errors: valgrind counts the stacks of OpenMP's waiting threads
# as possibly lost. Valgrind must not replace the malloc that some tests define, which can
# fail on purpose (nouserintercepts).
VALGRIND = valgrind -q --error-exitcode=9 --leak-check=full \
           --errors-for-leak-kinds=definite --show-leak-kinds=definite \
           --child-silent-after-fork=yes \
           --soname-synonyms=somalloc=nouserintercepts
QUICK_TESTS = $(filter-out %/test_tiled_attention %/test_flash2 \
                %/test_flash2_backward %/test_variants %/test_programs \
                %/test_online_softmax %/test_bf16 %/test_large_masks,$(TESTS))
# Valgrind 3.19 does not support AVX-512, so the tests run with the library's objects,
# which have AVX2 code, too. It does not support the emulator's fibers, so chapter 07 is
# left out. With QUICK=1 the other tests also take fewer problems (TEST_SHORT).
valgrind: need-valgrind
	+@$(if $(QUICK),TEST_SHORT=1) WRAP='$(VALGRIND)' $(LIB_MAKE) \
		$(if $(filter avx2,$(PORTABLE_TARGETS)),FLASH2_TARGET=avx2) $(if $(QUICK), \
		TESTS='$(QUICK_TESTS:$(BUILD)/%=$(BUILD)/lib/objects/%)') test

## check           run all checks, as CI does (20 minutes; setup.sh --dev)
check:
	@sh tools/require.sh gcc clang clang-format valgrind strace gnuplot cmocka busybox bmake \
		nbformat venv katex chromium aspell
	@sh tools/check.sh $(NUMBERS)
	@echo "next: git push"

.PHONY: objects
objects: $(OBJECTS)

## fresh-check     run README's commands on minimal systems (SYSTEMS=...)
fresh-check:
	@SYSTEMS='$(SYSTEMS)' sh tools/fresh_check.sh
	@echo "next: make check"

## newest-check    the same with the newest compilers and CMocka (hours)
NEWEST = bookworm:root:clang-22: trixie:user:clang-22: sid:root:clang-23: \
         forky:root:gcc-15: forky:user:gcc-16: sid:user:gcc-15: sid:root:gcc-16:
newest-check:
	@SYSTEMS='$(or $(SYSTEMS),$(NEWEST))' sh tools/fresh_check.sh
	@echo "next: make check"

## check-exercises test skeletons, solutions and typical mistakes (E=NAME)
check-exercises: sanitized
	@$(EXERCISE) sh tools/check_exercises.sh \
		$(patsubst %/.,%,$(wildcard $(EXERCISES:%=%/exercise/$(or $(E),*)/.)))
	@echo "next: make check"

# --- The lab and the benchmarks -----------------------------------------------

# Tables with timings, or that take minutes, are in docs/results; the others in build/lab.
DRAWN := race $(if $(LEFT_OUT),,pipeline) $(patsubst docs/lab/%.gp,%,$(wildcard docs/lab/*.gp))
NO_DATA = fragments layouts pairs # these scripts need no data
TABLES := misses rising without without_amx $(filter-out $(NO_DATA),$(DRAWN))
KEPT := $(patsubst docs/results/%.tsv,%,$(wildcard docs/results/*.tsv))
LAB_DATA := $(patsubst %,$(BUILD)/lab/%.tsv,$(filter-out $(KEPT),$(TABLES)))
# print_table runs a program and writes its table.
print_table = @mkdir -p $(@D) && $< $(1) >$@.part && mv $@.part $@ && \
              echo "  made    $@"
$(BUILD)/lab/%.tsv: $(BUILD)/docs/lab/%
	$(call print_table)
PICTURES = desk halves loops race roads row sentence
$(PICTURES:%=$(BUILD)/lab/%.tsv): $(BUILD)/lab/%.tsv: $(BUILD)/docs/lab/pictures
	$(call print_table,$*)
$(BUILD)/lab/precision.tsv: docs/lab/precision.sh $(FLASH)
	@mkdir -p $(@D) && sh $< >$@.part && mv $@.part $@ && echo "  made    $@"
$(BUILD)/lab/loss.tsv: $(FLASH)
	@mkdir -p $(@D)
	@$< precision softmax --csv --n 64,1024,32768,1048576 --repeat 8 \
		--rows normal:0.25,sorted:4 >$@.csv
	@$< precision attention --csv --n 1024 --types fp32,bf16 \
		--bc 1,4,16,64,256,1024 >>$@.csv
	@tr , '\t' <$@.csv >$@
	@echo "  made    $@"

## lab             compute the lab's data in build/lab (lab-NAME: one)
ANEW := $(filter-out bench bench_peers,$(TABLES))
.PHONY: $(ANEW:%=lab-%)
lab: $(ANEW:%=lab-%)
	@echo "next: open docs/results/README.md"
$(ANEW:%=lab-%): lab-%:
	@rm -f $(BUILD)/lab/$*.tsv
	@$(MAKE) --no-print-directory $(BUILD)/lab/$*.tsv
	@echo "next: make plots"

## shapes          time flash1, flash2 and standard at 4 sizes (minutes)
shapes: $(FLASH)
	@for sizes in '16 12 64' '16 12 256' '16 12 2048' '8 12 64'; do \
	    for step in standard_attention flash1 flash2; do \
	        set -- $$sizes; \
	        $< sweep --csv --batch $$1 --heads $$2 --n $$3 --d 64 --steps $$step || exit; \
	    done; \
	done | awk '!seen[$$0]++' | tr , '\t' >$(BUILD)/shapes.tsv
	@echo "next: cp $(BUILD)/shapes.tsv docs/results/"
	@echo "then: make docs"

## lab-check       compare the lab with docs/results
# It also compares the results of all installed peers with float64, for 64 queries.
lab-check: need-numpy $(FLASH) $(BUILD)/03_online_softmax/run lib
	@sh tools/check_lab.sh
	@$(NUMPY) docs/lab/peers.py $(LIB) forward 64
	@echo "next: make check"

## plots           draw the pages' plots in docs/plots again (minutes)
plots: need-gnuplot $(PROGRAMS) $(CUDA_PROGRAMS) $(LAB_DATA)
	@PLOTS=docs/plots sh tools/plot.sh $(PLOTTED)
	@echo "next: git diff --stat docs/plots"

## plots-check     draw all plots with this gnuplot, and test them
plots-check: need-gnuplot $(PROGRAMS) $(CUDA_PROGRAMS) $(LAB_DATA)
	@sh tools/test_plots.sh $(PLOTTED)
	@echo "next: make check"

## moving          time a multiplication and a load on this machine
moving: $(BUILD)/docs/lab/moving
	@$<

# without_amx links its own copy of flash2_amx, compiled for AMX if possible.
WITHOUT_AMX = $(BUILD)/docs/lab/without_amx.$(firstword $(AMX_TARGETS)).o
$(BUILD)/docs/lab/without_amx: $(WITHOUT_AMX)
-include $(wildcard $(WITHOUT_AMX:.o=.d))

## bench           time every step of 04-06 (minutes)
## bench-quick     time the most important steps and shapes (a minute)
## bench-bf16      time the steps in bf16, on a CPU with AMX or AVX512-BF16
bench bench-quick bench-bf16: $(BUILD)/docs/lab/bench
	@$< $(filter quick bf16,$(subst -, ,$@))

## bench-peers     time the fast steps and the libraries of make peers
# FLASH2_TARGET=avx2 leaves out the libraries that cannot be limited to AVX2.
VENV = $(BUILD)/venv
NUMPY = $$(for p in "$$PYTHON" $(VENV)/bin/python python3 /usr/bin/python3; do \
	"$$p" -c 'import numpy' 2>/dev/null && echo "$$p" && break; done)
bench-peers: lib need-numpy
	@for what in forward back bf16; do \
		$(NUMPY) docs/lab/peers.py $(LIB) $$what || exit; done
	@for what in forward bf16; do OMP_NUM_THREADS=1 \
		$(NUMPY) docs/lab/peers.py $(LIB) $$what || exit; done
	@echo "next: open docs/cpu_speed.md"

bench-peers lab-check: LIB_FILES += peers.so
$(LIB)/peers.so: $(addprefix $(BUILD)/docs/lab/,peers.o three_calls.o \
		bench_problem.o) $(STEPS_O) $(ARCHIVES)
	$(call say,link   ,$@)
	$(Q)$(CC) $(CFLAGS) -shared -o $@ $^ $(LDLIBS) $(OPENMP)

# PyTorch's index has a build for CPUs only. It is 0.2 GB instead of 3 GB.
PIP = $(VENV)/bin/python -m pip install -q
## peers           install PyTorch, ONNX Runtime, OpenVINO in build/venv
peers: need-venv
	@python3 -m venv $(VENV)
	@$(PIP) --index-url https://download.pytorch.org/whl/cpu torch || $(PIP) torch
	@$(PIP) numpy onnx onnxruntime openvino ninja setuptools
	@echo "next: make bench-peers"

# three_calls and `without` (which includes flash2_simd.c) get the fast steps' flags.
PEER = $(addprefix $(BUILD)/docs/lab/,three_calls.o without.o)
$(PEER): CFLAGS += -O3 -ffp-contract=fast $$(cat $(BUILD)/native) $(OPENMP)
$(PEER): | $(BUILD)/native $(BUILD)/openmp

# --- Pages and sources ----------------------------------------------------------

# README.md is last, because it shows times that weaving the other pages measures.
PAGES := $(wildcard docs/*.md docs/*/*.md *.md)
PLOTTED = $(DRAWING) $(wildcard docs/lab/*.gp) docs/lab/cuda.awk docs/lab/gpu.awk \
           docs/lab/race.awk docs/lab/sweeps.awk $(if $(LEFT_OUT),,docs/lab/pipeline.awk)

# Weaving needs the lab's programs that a page names, and the data of the plots.
NAMED := $(shell grep -oh 'build/docs/lab/[a-z_]*' $(PAGES))
.PHONY: woven
woven: $(PROGRAMS) $(CUDA_PROGRAMS) $(filter $(NAMED:build/%=$(BUILD)/%),$(LABS)) $(WOVEN) \
		$(LAB_DATA)
MAKE_WOVEN = $(MAKE) --no-print-directory $(JOBS) woven

## docs            weave code, output and diffs into the pages (minutes)
docs: need-python3
	+@$(MAKE_WOVEN)
	@sh 07_cuda/bench/draw_cards.sh docs/plots/cards
	@python3 tools/docs.py weave $(PAGES)
	@echo "next: git diff docs README.md"

## results         measure the pages' times again (on an idle machine)
results: woven $(BUILD)/docs/lab/moving
	@$(BUILD)/docs/lab/moving >$(BUILD)/moving.txt
	@mv $(BUILD)/moving.txt docs/results/moving.txt
	@python3 tools/docs.py times $(PAGES)
	@echo "next: make docs"

## docs-check      compare pages with code, check links, plots (minutes)
docs-check: need-python3
	+@$(MAKE_WOVEN)
	@PLOTTED='$(PLOTTED)' python3 tools/docs.py check $(PAGES)
	@echo "next: make check"

# The files whose words are checked: pages, and files with comments and messages.
SPELT = $(PAGES) $(shell find common 0[1-7]_* -name '*.md') Makefile setup.sh \
        $(shell find common docs tools 0[1-7]_* -type f -name '*.[a-z]*' | \
          grep -E '[.](c|h|cu|cuh|cpp|js|sh|py|mk|awk|gp|diff|txt)$$' | \
          grep -vE 'tools/words.txt|docs/paragraph.txt')

## spell           check the words of pages and comments (tools/words.txt)
spell: need-aspell need-python3
	@python3 tools/spell.py $(SPELT)
	@echo "next: make check"

EACH_SOURCE = find common docs tools 0[1-7]_* \( -name '*.[ch]' \
              -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -exec

## format          format all C files by .clang-format
format: need-clang-format
	@$(EACH_SOURCE) clang-format -i {} +
	@echo "next: git diff"

## format-check    check the format of all C files
format-check: need-clang-format
	@$(EACH_SOURCE) clang-format --dry-run --Werror {} + || \
		{ echo "next: make format"; exit 1; }
	@echo "next: make check"

## includes        check that no file includes a later chapter
includes:
	@sh tools/check_includes.sh
	@echo "next: make check"

# --- Small changes, failed system calls, random input (docs/assurance.md) -------

RUNGS := $(wildcard 07_cuda/rung*.cu 07_cuda/tile/*h 07_cuda/*/b[1-9]*.cu)
FAST_FILES = $(FAST_06) $(AMX_06) $(PAIRS_06)
KERNELS := $(filter-out tools/flash/% %/precision_loss.c %/steps.c %trace.c, \
             $(STEP_FILES) $(FAST_FILES))
FILES = $(filter-out %/steps.c,$(STEP_FILES) $(FAST_FILES) $(COMMON)) \
        $(if $(NO_MPI),,$(RING_O:$(BUILD)/%.o=%.c)) $(RUNGS) $(if $(RUNGS), \
          $(EMU_OBJECTS:$(BUILD)/%.o=%.cpp) $(wildcard tools/emulator/cuda_check/*.py))
.PHONY: mutants assurance-sample fuzz-files fuzz-problems

## assurance-mutants check that a test fails for small changes (hours)
# With N=3 three random changes of each file count. SEED=NAME repeats the choice.
MUTANTS = $(MAKE) --no-print-directory TARGETS=native
assurance-mutants: export SEED := $(or $(SEED),$(shell date +%s))
assurance-mutants: need-cmocka need-python3
	@$(if $(N),echo "SEED=$$SEED")
	+@$(MUTANTS) mutants
	@echo "next: open docs/assurance.md"

# Tries one change of the kernels of 01 to 03, and of the first 20 kernels that changed
# since the last table of results. `make check` runs this target.
LAST_TABLE = $(shell cut -f 4 docs/results/mutants.tsv | tail -n 1 | cut -c 2-)
assurance-sample: need-cmocka need-python3
	@rm -rf $(BUILD)/mutants/verdicts
	+@SEED=1 $(MUTANTS) N=1 NO_CUDA=1 NO_MPI=1 RUNGS= FILES='$(sort \
	 $(filter 01% 02% 03%,$(KERNELS)) $(wordlist 1,20,$(filter $(KERNELS), \
	   $(shell git diff --name-only $(LAST_TABLE) 2>/dev/null))))' mutants

mutants: $(filter-out %/tests.o,$(ALL_TESTS:=.o)) $(BUILD)/mutants/all.a $(BUILD)/openmp \
		$(PROGRAMS:%/run=%/main.o) $(if $(RUNGS),$(CUDA_ON_CPU_LIB) $(EMU_TESTS:=.o) \
		$(EMU_BUGS) $(EMU_EXIT).o $(CUDA_CHECK)) $(if $(NO_MPI),,$(RING_RUN) \
		$(RING_TEST).o $(BUILD)/mutants/ring.a)
	@COMPILE="$(CPPFLAGS) $(CFLAGS) -O1 -g0 -w -DTARGETS=X(native) $(OPENMP) \
	 $(foreach kind,AMX PAIRS,-D$(kind)_TARGETS=$(shell printf 'X(%s)' \
	   $($(kind)_TARGETS)))" \
	 NATIVE="$$(cat $(BUILD)/native)" MODEL='$(MODEL)' CU_COMPILE="$(CU_CXX) $(HOOKS)" \
	 EMU_COMPILE='$(EMU_CXX) -O1 -D_GLIBCXX_ASSERTIONS' \
	 CU_LINK='$(CXX) -Wl,--wrap=memcpy,--wrap=memset,--wrap=memmove' \
	 LIBS="$(LDLIBS) -ldl $(CMOCKA_LIBS) $(OPENMP)" \
	 CUDA_ON_CPU_LIB=$(CUDA_ON_CPU_LIB) \
	 COMMIT=g$$(git rev-parse --short HEAD) sh tools/assurance/mutants.sh $(FILES)
$(BUILD)/mutants/ring.a: $(RING_O)
$(BUILD)/mutants/all.a: $(patsubst %.c,$(BUILD)/%.o,$(STEP_FILES) $(FOR_TESTS) $(COMMON)) \
		$(FAST_06_O) $(COMMON_FAST_O) $(if $(RUNGS),$(ON_CPU) $(call fp8_model,$(CU)) \
		$(CU)/tests/addresses.o $(WITHOUT:%=$(CU)/bench/%.o))
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

## check-elsewhere run tests for three other processors, emulated (network)
check-elsewhere:
	@sh tools/assurance/elsewhere.sh
	@echo "next: cp $(BUILD)/elsewhere/elsewhere.tsv docs/results/"

## assurance-faults let each system call for files fail once, in turn
assurance-faults: need-strace $(FLASH)
	@sh tools/assurance/faults.sh $(BUILD)
	@echo "next: open docs/assurance.md"

## assurance-fuzz  try random files and problems, SECONDS=600 for each
# libFuzzer stores inputs in $(FUZZ)/npy, and the next run begins with them.
SECONDS = 600
FUZZ = $(BUILD)/fuzz
assurance-fuzz: fuzz-files fuzz-problems
	@echo "next: open docs/assurance.md"
fuzz-files: need-clang $(FUZZ)/fuzz $(FLASH)
	@$(FLASH) attention --n 2 --d 3 --out $(FUZZ)/npy/first >/dev/null
	@cd $(FUZZ) && ./fuzz npy -max_total_time=$(SECONDS) -max_len=4000 \
	 -timeout=10 -rss_limit_mb=4096 -close_fd_mask=1 -verbosity=0 \
	 -print_final_stats=1 >log 2>&1 || { cat log; exit 1; }
	@sed -n "s/.*executed_units: *\(.*\)/files: \1 inputs/p" $(FUZZ)/log
fuzz-problems: need-numpy $(FLASH)
	@for p in build/venv/bin/python python3 /usr/bin/python3; do \
	 $$p -c 'import numpy' 2>/dev/null && break; done; \
	 $$p tools/assurance/end_to_end.py $(BUILD) $(SECONDS) $(SEED)
$(FUZZ)/fuzz: tools/assurance/fuzz.c common/memory_limit.c common/precision.c \
		$(wildcard common/npy/*.c common/print/*.c)
	@mkdir -p $(FUZZ)/npy
	$(call say,link   ,$@)
	$(Q)clang -D_GNU_SOURCE -I. -std=c11 -g -O1 -fno-sanitize-recover=all \
		-fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)
