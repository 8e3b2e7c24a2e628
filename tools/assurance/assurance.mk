# The attack on the programs, kept: docs/assurance.md. Needs setup.sh --dev, and
# some parts packages more: strace, cppcheck, clang-tidy, gcc-12-multilib,
# musl-tools, qemu-user, gcc-12-aarch64-linux-gnu, gcc-12-s390x-linux-gnu.

KERNELS := $(filter-out %/program.c %/steps.c %trace.c %_loss.c,$(filter \
             0%,$(STEPS) $(TARGETED)))
RUNGS := $(wildcard 07_cuda/rung*.cu 07_cuda/tile/*h 07_cuda/*/b[1-9]*.cu)
FILES = $(KERNELS) $(wildcard common/*.c) $(RUNGS) \
        $(filter common/npy/% common/problem/% common/program/%,$(COMMON))
ATTACKED = $(filter-out $(BUILD)/07%,$(PROGRAMS))
.PHONY: mutants covered $(addprefix assurance-,mutants sample kept coverage faults \
        fuzz builds scale static)

## assurance-mutants  change the steps in small ways: does a test notice (hours)
EVERY = 1
HERE = $(MAKE) --no-print-directory TARGETS=native MPICC=none
MUTANTS = $(HERE) BUILD=$(BUILD)/mutants OPT='-O1 -w'
assurance-mutants: need-cmocka need-python3
	@$(MUTANTS) mutants
	@echo "next: open docs/assurance.md"

# The same few changes each time, of all kernels but the fast ones, done anew.
assurance-sample: need-cmocka need-python3
	@rm -rf $(BUILD)/mutants/verdicts
	@$(MUTANTS) NO_CUDA=1 RUNGS= EVERY='110 -s 7' \
	 FILES='$(filter-out 06_flash2/fast/%,$(KERNELS))' mutants

# 600 changes, drawn by chance from those that the tests killed. Each must still be
# killed, before a test goes and after it. FILES="...": only those of these files.
KEPT = tools/assurance/kept.tsv
assurance-kept: need-cmocka need-python3
	@rm -rf $(BUILD)/mutants/verdicts
	@$(MUTANTS) MINUTES=600 EVERY='1 -k $(KEPT)' \
	 FILES='$(if $(filter command line,$(origin FILES)),$(FILES),$(shell \
	 cut -f1 $(KEPT) | uniq))' mutants

NOTICING = $(filter-out $(LAB_TESTS:%.c=$(BUILD)/%),$(ALL_TESTS))
mutants: $(NOTICING:=.passes) $(BUILD)/all.a
	@COMPILE="$(CPPFLAGS) $(CFLAGS) -DTARGETS=X(native) $(OPENMP)" \
	 NATIVE="$$(cat $(BUILD)/native)" CU_COMPILE="$(CU_CXX) $(HOOKS)" \
	 CU_LINK='$(CXX) -Wl,--wrap=memcpy,--wrap=memset,--wrap=memmove' \
	 LIBS="$(wildcard $(CUDA_ON_CPU_LIB)) $(LDLIBS) -ldl $(CMOCKA_LIBS) \
	 $(OPENMP)" sh tools/assurance/mutants.sh -e $(EVERY) $(FILES)
$(BUILD)/%.passes: $(BUILD)/%
	@OMP_WAIT_POLICY=passive $< >$@ 2>&1 || { cat $@; exit 1; }
$(BUILD)/all.a: $(patsubst %.c,$(BUILD)/%.o,$(STEPS) $(FOR_TESTS) $(COMMON)) \
		$(TARGETED_O) $(if $(RUNGS),$(ON_CPU) $(call fp8_model,$(CU)))
	$(Q)rm -f $@ && $(AR) rcs $@ $^

## assurance-coverage lines and branches that no test reaches (gcov)
assurance-coverage: need-cmocka need-python3
	@rm -rf $(BUILD)/coverage
	@$(HERE) BUILD=$(BUILD)/coverage NO_CUDA=1 FAST=-O0 \
	 OPT='-O0 --coverage -fprofile-update=atomic -Dalways_inline=unused' covered
	@echo "next: open docs/assurance.md"
covered: $(NOTICING:=.passes)
	@gcov -t -j -b $(patsubst $(BUILD)/%.o,$(BUILD)/%.gcda, \
	 $(filter $(BUILD)/0%,$(TARGETED_O)) $(patsubst %.c,$(BUILD)/%.o, \
	 $(filter-out $(TARGETED),$(KERNELS)) common/scores.c common/memory.c \
	 $(wildcard common/npy/*.c))) | python3 tools/assurance/coverage.py

## assurance-faults   each allocation, open, read, write, close fails in turn
# What passed is known to the next run, until a program is made anew.
assurance-faults: need-strace $(BUILD)/faults
	@sh tools/assurance/faults.sh $(BUILD)
	@echo "next: open docs/assurance.md"
$(BUILD)/faults: $(ATTACKED) tools/assurance/faults.sh; @: >$@

## assurance-fuzz     made-up files, command lines, problems, SECONDS of each
# What libFuzzer found worth keeping stays, and the next run begins with it.
SECONDS = 600
FUZZ = $(BUILD)/fuzz
assurance-fuzz: need-clang need-numpy $(FUZZ)/npy.tried $(FUZZ)/options.tried
	@for p in build/venv/bin/python python3 /usr/bin/python3; do \
	 $$p -c 'import numpy' 2>/dev/null && break; done; \
	 $$p tools/assurance/end_to_end.py $(BUILD) $(SECONDS) $(SEED)
	@echo "next: open docs/assurance.md"
$(FUZZ)/%.tried: $(FUZZ)/first FORCE
	@cd $(FUZZ) && FUZZ=$* ./fuzz $* \
	 -max_total_time=$(SECONDS) -max_len=4000 -dict=words -timeout=10 \
	 -rss_limit_mb=4096 -close_fd_mask=1 -verbosity=0 -print_final_stats=1 \
	 -artifact_prefix=$*- >$*.log 2>&1 || { cat $*.log; exit 1; }
	@sed -n "s/.*executed_units: *\(.*\)/$*: \1 inputs/p" $(FUZZ)/$*.log
$(FUZZ)/first: $(FUZZ)/fuzz $(ATTACKED)
	@$(BUILD)/04_tiled_attention/run --n 2 --d 3 --out $(FUZZ)/npy/first >$@
	@printf '%s\n' --q a --k b --v c --bc=4 --scale 0.5 >$(FUZZ)/options/first
	@printf '%s\n' --backward --n 9 --window 3 --sink s >$(FUZZ)/options/second
	@grep -o 'OPTION([^ ]*"[a-z-]*\|(read_file, "."' \
	 common/program/attention_request.c | sed 's/.*"/"--/; s/$$/"/' >$(FUZZ)/words
$(FUZZ)/fuzz: tools/assurance/fuzz.c \
		$(filter-out common/speed/% common/lesson/%,$(COMMON))
	@mkdir -p $(FUZZ)/npy $(FUZZ)/options
	$(call say,link   ,$@)
	$(Q)clang -D_GNU_SOURCE -I. -std=c11 -g -O1 -fno-sanitize-recover=all \
		-fsanitize=fuzzer,address,undefined -o $@ $^ $(LDLIBS)

## assurance-builds   32 bits, big-endian, musl, ThreadSanitizer (half an hour)
BUILDS = m32 musl tsan aarch64 s390x
AT = $(BUILD)/builds
CC_m32 = gcc-12 -m32 -msse2 -mfpmath=sse -I/usr/include/$$(gcc -dumpmachine)
CC_musl = musl-gcc
# gcc 12's vectoriser for aarch64 breaks off on one of the tests.
CC_aarch64 = $*-linux-gnu-gcc-12 -fexcess-precision=fast -fno-tree-vectorize
CC_s390x = $(CC_aarch64)
# OpenMP's tool tells it of OpenMP's waiting. At a SIGPIPE it may wait for itself.
CC_tsan = clang -fsanitize=thread
assurance-builds:
	@$(MAKE) --no-print-directory -k $(BUILDS:%=$(AT)/%.passed)
	@echo "next: open docs/assurance.md"
$(AT)/%.passed: $(AT)/cmocka
	@mkdir -p $(AT)/$* && touch $(AT)/$*/cmocka
	@$(CC_$*) -w -D_GNU_SOURCE -DHAVE_SIGNAL_H -DHAVE_STRUCT_TIMESPEC \
	 -I$(AT) -I$</include -c $</src/cmocka.c -o $(AT)/$*/cmocka.o
	@WRAP='$(if $(filter %64 %x,$*),qemu-$* -L /usr/$*-linux-gnu)' \
	 TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
	 OMP_TOOL_LIBRARIES=$$(clang -print-file-name=libarcher.so) \
	 $(MAKE) -s BUILD=$(AT)/$* NO_CUDA=1 MPICC=none CC="$(CC_$*)" \
	 $(if $(filter tsan,$*),ALL_TESTS='$(patsubst $(BUILD)/%,$(AT)/tsan/%, \
	 $(filter-out %/test_replace_file,$(TESTS)))', \
	 PORTABLE=1 PORTABLE_TARGETS=base) \
	 CMOCKA_FLAGS=-I$</include CMOCKA_LIBS=$(AT)/$*/cmocka.o test >$@.log 2>&1 || \
	 { tail -50 $@.log; exit 1; }
	@mv $@.log $@ && echo "$*: $$(grep ' passed, ' $@ | tail -1)"
# CMocka's source from Debian, in lists of our own.
APT = apt-get -q -o Dir::Etc::sourcelist=$$PWD/sources \
      -o Dir::Etc::sourceparts=- -o Dir::State::lists=$$PWD/lists
$(AT)/cmocka:
	@mkdir -p $(AT)/lists/partial && : >$(AT)/config.h
	@. /etc/os-release && cd $(AT) && echo "deb-src \
	 http://deb.debian.org/debian $$VERSION_CODENAME main" >sources && \
	 $(APT) update && $(APT) --download-only source cmocka && \
	 tar xf cmocka_*.orig.tar.?z && mv cmocka-* cmocka

## assurance-scale    K and V of more than 2^32 elements (ten minutes)
assurance-scale: $(BUILD)/docs/lab/scale
	@$< && echo "next: open docs/assurance.md"

## assurance-static   what cppcheck, clang-tidy and gcc's analyser find
# Meant: ln 0 is -inf. What is not initialised valgrind finds, with fewer errors.
LOOKED_AT = $(filter-out 06_flash2/ring/%,$(STEPS) $(COMMON))
LOOKED_AT_AS = $(CPPFLAGS) -std=c11 -DTARGET=native '-DTARGETS=X(native)'
assurance-static: need-cppcheck need-clang-tidy
	@cppcheck -q --enable=warning,performance,portability --std=c11 -I. \
	 --error-exitcode=1 --suppress=invalidFunctionArg --suppress=uninitvar \
	 --suppress=ctuuninitvar --suppress=returnDanglingLifetime $(LOOKED_AT)
	@for f in $(LOOKED_AT); do gcc $(LOOKED_AT_AS) -O1 -Werror -fanalyzer \
	 -Wno-analyzer-use-of-uninitialized-value -c $$f -o /dev/null || exit 1; done
	@clang-tidy --quiet $(LOOKED_AT) -- $(LOOKED_AT_AS) 2>/dev/null
	@echo "$(words $(LOOKED_AT)) passed, 0 failed"
