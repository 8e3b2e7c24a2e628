# The book: docs/*.md as a static site, with steppers that run the project's own
# C in the browser. Included by the Makefile at the top.

BOOK = $(BUILD)/book
BOOK_PARTS = $(BUILD)/book_parts

# What the browser steps through. The program that draws the pictures of a page
# without scripts is of the same files.
BOOK_KERNELS = $(addprefix 03_online_softmax/,online_softmax.c merged_softmax.c) \
               $(addprefix 05_flash1/,flash1.c traffic.c) \
               $(addprefix 06_flash2/,flash2.c traffic.c) \
               $(addprefix common/,scores.c memory.c matrix.c precision.c)
BOOK_STEPS = $(filter-out %/main.c,$(wildcard tools/book/steps/*.c))
BOOK_OBJECTS = $(BOOK_STEPS:%.c=$(BUILD)/%.o) $(BUILD)/tools/book/steps/main.o
-include $(wildcard $(BOOK_OBJECTS:.o=.d))
objects: $(BOOK_OBJECTS)

$(BOOK_PARTS)/steps: $(BOOK_OBJECTS) $(call steps_of,02 03 04 05 06) \
		$(ARCHIVES) | $(BUILD)/openmp
	@mkdir -p $(@D)
	$(call say,link   ,$@)
	$(Q)$(LINK)

# WebAssembly by clang, with WASI's C library. At -O2 the tables in steps.h,
# which name every kernel, are left out.
WASM_FLAGS = --target=wasm32-wasi -mexec-model=reactor -std=c11 -O2 \
             $(WARNINGS) -ffp-contract=off -I. -Wl,--strip-all
WASM_SOURCES = tools/book/wasm/exports.c $(BOOK_STEPS) $(BOOK_KERNELS)

$(BOOK_PARTS)/kernels.wasm: $(WASM_SOURCES) $(wildcard tools/book/steps/*.h \
		common/*.h common/*/*.h 0[356]_*/*.h)
	@sh tools/need.sh clang wasm-ld wasi-libc
	@mkdir -p $(@D)
	$(call say,compile,$@)
	$(Q)clang $(WASM_FLAGS) -o $@ $(WASM_SOURCES) -lm

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

## book-pdf        the book as one PDF: build/book.pdf
book-pdf: need-chromium book
	@sh tools/book/pdf.sh
	@echo "next: open $(BUILD)/book.pdf"

## book-test       every page in a browser: errors, links, widths, steppers
book-test: need-chromium site $(BUILD)/03_online_softmax/run \
		$(BUILD)/06_flash2/run
	@sh tools/book/test.sh
	@sh tools/book/test_site.sh
	@echo "next: make check"

## spell           are all words of the pages known (docs/words.txt)
spell: need-aspell
	@sh tools/book/spell.sh $(PAGES)
	@echo "next: make check"
