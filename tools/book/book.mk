# book.mk: builds docs/*.md as a web site with Zensical.

KATEX = /usr/share/javascript/katex
ASSETS = $(BUILD)/stage/assets

# pip needs the network the first time, and again when requirements.txt changes.
$(BUILD)/book.venv/ready: tools/book/requirements.txt
	@python3 -m venv --clear $(@D)
	@$(@D)/bin/pip install -q --require-hashes --only-binary :all: -r $<
	@touch $@

## book            build the pages as a site in build/book (uses network)
book: need-venv need-katex $(BUILD)/book.venv/ready
	@$(BUILD)/book.venv/bin/python tools/book/stage.py $(BUILD)/stage
	@mkdir -p $(ASSETS)
	@cp -RL $(KATEX)/katex.min.css $(KATEX)/katex.min.js $(KATEX)/fonts \
		$(KATEX)/contrib/auto-render.js tools/book/assets/* $(ASSETS)
	@cp tools/book/zensical.toml $(BUILD)
	@cd $(BUILD) && book.venv/bin/zensical build --clean --strict
	@echo "next: open $(BUILD)/book/index.html"

## book-test       test the book's formulas, search and player in Chromium
book-test: need-chromium need-python3 book
	@python3 tools/book/test.py $(BUILD)/book
	@echo "next: make check"
