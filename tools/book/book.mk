# The book: docs/*.md as plain pages of HTML. Included by the Makefile at the top.

## book            the pages as a book, for a browser: build/book
book: need-pandoc
	@sh tools/book/build.sh
	@echo "next: open $(BUILD)/book/index.html"

## book-test       every page in a browser: links, pictures, errors, widths
book-test: need-chromium need-python3 book
	@python3 tools/book/test.py $(BUILD)/book
	@echo "next: make check"

## spell           are all words of the pages known (docs/words.txt)
spell: need-aspell
	@sh tools/book/spell.sh $(PAGES)
	@echo "next: make check"
