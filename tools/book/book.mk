# The book: docs/*.md as a static site, with steppers that run the project's own
# C in the browser. Included by the Makefile at the top.

BOOK = $(BUILD)/book
BOOK_PARTS = $(BUILD)/book_parts

# What the browser steps through. The program that draws the pictures of a page
# without scripts is of the same files.
BOOK_KERNELS = $(addprefix 03_online_softmax/,online_softmax.c merged_softmax.c) \
               $(addprefix 05_flash1/,flash1.c traffic.c) \
               $(addprefix 06_flash2/,flash2.c traffic.c) \
               $(addprefix 06_flash2/backward/,flash2_backward.c backward_dq.c \
                 backward_dkv.c two_kernel_backward.c traffic.c) \
               $(addprefix common/,layer.c scores.c memory.c matrix.c precision.c \
                 gradients.c)
# How the emulator counts banks and sectors: C++.
BOOK_COUNTING = tools/book/steps/warp.cpp \
                07_cuda/cuda_on_cpu/memory/banks.cpp
BOOK_STEPS = $(filter-out %/main.c,$(wildcard tools/book/steps/*.c))
BOOK_OBJECTS = $(BOOK_STEPS:%.c=$(BUILD)/%.o) $(BUILD)/tools/book/steps/main.o
-include $(wildcard $(BOOK_OBJECTS:.o=.d))
objects: $(BOOK_OBJECTS)

# What rung 10 did, by the emulator.
$(BOOK_PARTS)/pipeline.c: $(BUILD)/docs/lab/timeline tools/book/pipeline.awk
	@mkdir -p $(@D)
	@$< events >$(BOOK_PARTS)/pipeline.tsv
	@awk -f tools/book/pipeline.awk $(BOOK_PARTS)/pipeline.tsv >$@

$(BOOK_PARTS)/pipeline.o: $(BOOK_PARTS)/pipeline.c tools/book/steps/steps.h
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(BOOK_PARTS)/warp.o: tools/book/steps/warp.cpp tools/book/steps/steps.h \
		| $(BUILD)/07_cuda/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(Q)$(EMU_CXX) -c $< -o $@

$(BOOK_PARTS)/steps: $(BOOK_OBJECTS) \
		$(addprefix $(BOOK_PARTS)/,warp.o pipeline.o) \
		$(BUILD)/07_cuda/emulator/memory/banks.o \
		$(call steps_of,02 03 04 05 06) $(ARCHIVES) | $(BUILD)/openmp
	@mkdir -p $(@D)
	$(call say,link   ,$@)
	$(Q)$(CXX) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) $(LDLIBS) $(OPENMP)

# WebAssembly by clang, with WASI's C and C++ libraries. At -O2 the tables in
# steps.h, which name every kernel, are left out.
WASM_FLAGS = --target=wasm32-wasi -O2 -I.
WASM_SOURCES = $(BOOK_STEPS) $(BOOK_KERNELS) $(BOOK_PARTS)/pipeline.c
# What tools/book/steps/steps.h has.
WASM_EXPORTS = picture numbers run draw
WASM_COUNTING = $(BOOK_PARTS)/counting.wasm.o

$(WASM_COUNTING): $(BOOK_COUNTING) $(wildcard tools/book/steps/*.h)
	@sh tools/need.sh clang wasm-ld wasi-libc
	@mkdir -p $(@D)
	$(Q)cat $(BOOK_COUNTING) | clang++ $(WASM_FLAGS) -std=c++17 -Wall -Wextra \
	 -fno-exceptions -x c++ -c - -o $@

$(BOOK_PARTS)/kernels.wasm: $(WASM_SOURCES) $(WASM_COUNTING) \
		$(wildcard tools/book/steps/*.h common/*.h common/*/*.h \
		0[356]_*/*.h 0[56]_*/backward/*.h)
	$(call say,compile,$@)
	$(Q)clang $(WASM_FLAGS) -mexec-model=reactor -std=c11 $(WARNINGS) \
	 -ffp-contract=off -Wl,--strip-all $(WASM_EXPORTS:%=-Wl,--export=%) \
	 -o $@ $(WASM_SOURCES) $(WASM_COUNTING) -lc++ -lc++abi -lm

# As a script, because a browser loads no other file from a disk.
$(BOOK_PARTS)/kernels.js: $(BOOK_PARTS)/kernels.wasm
	@printf 'const KERNELS = "%s";\n' "$$(base64 <$< | tr -d '\n')" >$@

## book            the pages as a book, for a browser: build/book
book: need-pandoc $(BOOK_PARTS)/steps $(BOOK_PARTS)/kernels.js
	@sh tools/book/build.sh
	@echo "next: open $(BOOK)/index.html"

## site            the book and a page that invites to it: build/site
site: book
	@sh tools/book/site.sh
	@echo "next: put $(BUILD)/site on any static host"

## book-test       every page in a browser: errors, links, widths, steppers
book-test: need-chromium need-python3 site $(BUILD)/03_online_softmax/run \
		$(BUILD)/06_flash2/run
	@python3 tools/book/test/test.py $(BUILD)
	@echo "next: make check"

## spell           are all words of the pages known (docs/words.txt)
spell: need-aspell
	@sh tools/book/spell.sh $(PAGES)
	@echo "next: make check"
