# book.mk: builds docs/*.md as a web site with Zensical. The programs of chapters 01 to
# 06 and `flash` are compiled to WebAssembly, and run in the pages (assets/wasi.js).

KATEX = /usr/share/javascript/katex
ASSETS = $(BUILD)/stage/assets

# pip needs the network the first time, and again when requirements.txt changes.
$(BUILD)/book.venv/ready: tools/book/requirements.txt
	@python3 -m venv --clear $(@D)
	@$(@D)/bin/pip install -q --require-hashes --only-binary :all: -r $<
	@touch $@

# The programs are compiled unchanged, by a second make. wasi.h has two functions that
# wasi-libc lacks.
WASM = $(BUILD)/wasm
IN_PAGES = $(patsubst %/,%,$(dir $(wildcard 0[1-6]_*/main.c))) tools/flash
WASM_MAKE = $(MAKE) --no-print-directory $(JOBS) BUILD=$(WASM) NO_CUDA=1 \
            CC='clang --target=wasm32-wasi' AR=llvm-ar OPENMP= \
            AMX_TARGETS=model PAIRS_TARGETS=pairs_model \
            OPT='-O2 -msimd128' LDFLAGS=-s \
            CPPFLAGS='$(CPPFLAGS) -D_WASI_EMULATED_GETPID -include tools/book/wasi.h' \
            LDLIBS='-lm -lwasi-emulated-getpid' $(IN_PAGES:%=$(WASM)/%/run)

.PHONY: in-pages
in-pages:
	@if sh setup.sh --has=wasm; then $(WASM_MAKE) $(if $(V),,-s); else \
		echo "book: without programs that run in the pages; sh setup.sh --book" \
		"installs clang, lld and wasi-libc"; fi

# REPOSITORY is the address of the repository to which the site links, if there is one.
book: need-venv need-katex $(BUILD)/book.venv/ready in-pages
	@$(BUILD)/book.venv/bin/python tools/book/stage.py $(BUILD)/stage '$(REPOSITORY)'
	@mkdir -p $(ASSETS)
	@cp -RL $(KATEX)/katex.min.css $(KATEX)/katex.min.js $(KATEX)/fonts \
		$(KATEX)/contrib/auto-render.js tools/book/assets/* $(ASSETS)
	@mkdir -p $(ASSETS)/data $(ASSETS)/wasm
	@cp common/data/*.npy $(ASSETS)/data
	@! sh setup.sh --has=wasm || for program in $(IN_PAGES); do \
		cp $(WASM)/$$program/run $(ASSETS)/wasm/$${program##*/}.wasm; done
	@cp -R tools/book/overrides $(BUILD)
	@sed '$(if $(REPOSITORY),/^site_dir/a repo_url = "$(REPOSITORY)"\nedit_uri = "edit/main/docs/")' \
		tools/book/zensical.toml >$(BUILD)/zensical.toml
	@cd $(BUILD) && find zensical.toml overrides stage -type f -exec cksum {} + >book.now && \
	if ! cmp -s book.now book.built || [ ! -f book/index.html ]; then \
		book.venv/bin/zensical build --clean --strict && \
		(cd "$(CURDIR)" && python3 tools/book/search_index.py $(BUILD)/book) && \
		mv book.now book.built; fi
	@echo "next: open $(BUILD)/book/index.html"

## book-test       test the book's formulas, search and player in Chromium
book-test: need-chromium need-python3 book $(FLASH)
	@python3 tools/book/test.py $(BUILD)/book
	@echo "next: make check"

## book-run        compare the programs in the pages with this machine's
book-run: need-node book $(IN_PAGES:%=$(BUILD)/%/run)
	@node tools/book/test_wasi.js $(BUILD)
	@echo "next: make book-test"
