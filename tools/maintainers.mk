# maintainers.mk: targets for developers of this project.

## sanitize        run all tests but 07's under ASan and UBSan (minutes)
SANITIZE = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
           -fno-sanitize-recover=all
sanitize:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/sanitize OPT='$(SANITIZE)' \
		NO_CUDA=1 test try-programs
	@echo "next: make valgrind"

# Runs every program without options, with --help, --trace, and with --csv if --help
# lists it. Of flash/run runs only --help and steps.
.PHONY: try-programs
try-programs: $(PROGRAMS) $(CUDA_PROGRAMS)
	@for program in $^; do \
		case $$program in */flash/run) options='--help steps' ;; \
		*) options="--help --trace $$($$program --help | \
		    grep -o -e '--csv')"; $$program >/dev/null || exit ;; esac; \
		for option in $$options; do \
			$$program $$option >/dev/null || exit; done; done

## valgrind        run all tests but 07's under valgrind (an hour; QUICK=1: less)
# Only definite leaks are errors: valgrind counts the stacks of OpenMP's waiting threads
# as possibly lost. Valgrind must not replace the malloc that some tests define, which can
# fail on purpose (nouserintercepts).
VALGRIND = valgrind -q --error-exitcode=9 --leak-check=full \
           --errors-for-leak-kinds=definite --show-leak-kinds=definite \
           --child-silent-after-fork=yes \
           --soname-synonyms=somalloc=nouserintercepts
QUICK_TESTS = $(filter-out %/test_tiled_attention %/test_flash2 \
                %/test_flash2_backward %/test_variants %/test_programs \
                %/test_online_softmax %/test_bf16,$(TESTS))
# Valgrind 3.19 does not support AVX-512, so PORTABLE=1 also compiles AVX2 code. It does
# not support the emulator's fibers, so chapter 07 is left out (NO_CUDA).
valgrind: need-valgrind
	@WRAP='$(VALGRIND)' $(MAKE) --no-print-directory PORTABLE=1 NO_CUDA=1 \
		BUILD=$(BUILD)/valgrind $(if $(filter avx2,$(PORTABLE_TARGETS)), \
		FLASH2_TARGET=avx2) $(if $(QUICK), \
		TESTS='$(QUICK_TESTS:$(BUILD)/%=$(BUILD)/valgrind/%)') test

## check           run all checks, as CI does (an hour; setup.sh --dev)
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

# README.md is last, because it shows times that weaving the other pages measures.
PAGES := $(wildcard docs/*.md docs/*/*.md *.md)
PLOTTED = $(DRAWING) $(wildcard docs/lab/*.gp) docs/lab/race.awk docs/lab/sweeps.awk \
           $(if $(LEFT_OUT),,docs/lab/pipeline.awk)

# Weaving needs the lab's programs that a page names, and the data of the plots.
NAMED := $(shell grep -oh 'build/docs/lab/[a-z_]*' $(PAGES))
.PHONY: woven
woven: $(PROGRAMS) $(CUDA_PROGRAMS) $(filter $(NAMED:build/%=$(BUILD)/%),$(LABS)) $(WOVEN) \
		$(LAB_DATA)
MAKE_WOVEN = $(MAKE) --no-print-directory $(JOBS) woven

## docs            weave code, output and diffs into the pages (minutes)
docs: need-python3
	@$(MAKE_WOVEN)
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
	@$(MAKE_WOVEN)
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
