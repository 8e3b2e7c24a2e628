# The attack on the programs, kept: docs/assurance.md. Needs setup.sh --dev, and
# the faults need strace.

## assurance-mutants  change the steps in small ways: does a test notice (hours)
.PHONY: assurance-mutants assurance-sample assurance-faults
EVERY = 1
assurance-mutants: need-cmocka
	@sh tools/assurance/mutants.sh -e $(EVERY) $(FILES)
	@echo "next: open docs/assurance.md"

# For check: the same few changes each time.
assurance-sample: need-cmocka
	@rm -f $(BUILD)/mutants/results.tsv
	@sh tools/assurance/mutants.sh -e 37 -s 7

## assurance-faults   each allocation, open, read, write, close fails in turn
assurance-faults: need-strace
	@sh tools/assurance/faults.sh
	@echo "next: open docs/assurance.md"
