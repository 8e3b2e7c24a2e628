# The book: docs/*.md as a site by Zensical. Included by the Makefile at the top.

KATEX = /usr/share/javascript/katex
ASSETS = $(BUILD)/stage/assets

# pip needs the network: once, and again when requirements.txt changes.
$(BUILD)/book.venv/ready: tools/book/requirements.txt
	@python3 -m venv --clear $(@D)
	@$(@D)/bin/pip install -q --require-hashes --only-binary :all: -r $<
	@touch $@

## book            the pages as a site: build/book (uses the network once)
book: need-venv need-katex $(BUILD)/book.venv/ready
	@$(BUILD)/book.venv/bin/python tools/book/stage.py $(BUILD)/stage
	@mkdir -p $(ASSETS)
	@cp -RL $(KATEX)/katex.min.css $(KATEX)/katex.min.js $(KATEX)/fonts \
		$(KATEX)/contrib/auto-render.js tools/book/assets/* $(ASSETS)
	@cp tools/book/zensical.toml $(BUILD)
	@cd $(BUILD) && book.venv/bin/zensical build --clean --strict
	@echo "next: open $(BUILD)/book/index.html"

## book-test       test the site in Chromium: formulas, search, player
book-test: need-chromium need-python3 book
	@python3 tools/book/test.py $(BUILD)/book
	@echo "next: make check"
