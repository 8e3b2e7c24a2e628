# lab.mk: programs that draw a picture or fill a table of a page; benchmarks.

# --- Data ---------------------------------------------------------------------

# What is drawn, or is a table on a page. docs/results keeps what was timed or
# takes minutes; the rest is made in build/lab for whoever asks for it.
DRAWN := race $(patsubst docs/lab/%.gp,%,$(wildcard docs/lab/*.gp))
OF_ITSELF = fragments layouts pairs # drawn from no data
TABLES := misses rising without without_amx $(filter-out $(OF_ITSELF),$(DRAWN))
KEPT := $(patsubst docs/results/%.tsv,%,$(wildcard docs/results/*.tsv))
LAB_DATA := $(patsubst %,$(BUILD)/lab/%.tsv,$(filter-out $(KEPT),$(TABLES)))
PICTURES = desk halves loops race roads row sentence
$(PICTURES:%=$(BUILD)/lab/%.tsv): $(BUILD)/docs/lab/pictures
$(foreach t,$(filter-out $(PICTURES),$(TABLES)),$(eval \
  $(BUILD)/lab/$(t).tsv: $(BUILD)/docs/lab/$(t)))
$(TABLES:%=$(BUILD)/lab/%.tsv): $(BUILD)/lab/%.tsv:
	@mkdir -p $(@D)
	@sh tools/said.sh '$< $(filter $*,$(PICTURES))' >$@.part
	@mv $@.part $@
	@echo "  made    $@"

## lab             make the lab's data anew (lab-NAME: one) in build/lab
ANEW := $(filter-out bench,$(TABLES))
.PHONY: lab $(ANEW:%=lab-%)
lab: $(ANEW:%=lab-%)
	@echo "next: open docs/results/README.md"
$(ANEW:%=lab-%): lab-%:
	@rm -f $(BUILD)/lab/$*.tsv
	@$(MAKE) --no-print-directory $(BUILD)/lab/$*.tsv

## shapes          time both FlashAttentions and standard at four sizes (minutes)
shapes: $(FLASH)
	@for sizes in '16 12 64' '16 12 256' '16 12 2048' '8 12 64'; do \
	    for step in standard_attention flash1 flash2; do \
	        set -- $$sizes; \
	        $< sweep --csv --batch $$1 --heads $$2 --n $$3 --d 64 --steps $$step || exit; \
	    done; \
	done | awk '!seen[$$0]++' | tr , '\t' >$(BUILD)/shapes.tsv
	@echo "next: cp $(BUILD)/shapes.tsv docs/results/, then make docs"

## lab-check       does the lab still give what docs/results holds
# And do all peers that are found here give what float64 does (64 queries)?
lab-check: need-numpy $(BUILD)/docs/lab/precision $(BUILD)/docs/lab/loss \
		$(BUILD)/03_online_softmax/run lib
	@sh tools/check_lab.sh
	@$(NUMPY) docs/lab/peers.py $(LIB) forward 64
	@echo "next: make check"

## plots           draw all plots anew: those of the pages, in docs/plots
plots: need-gnuplot $(PROGRAMS) $(CUDA_PROGRAMS) $(LAB_DATA)
	@PLOTS=docs/plots sh tools/plot.sh $(PLOTTED)
	@echo "next: git diff --stat docs/plots"

## moving          what a number costs here: to multiply it, to fetch it
moving: $(BUILD)/docs/lab/moving
	@$<

# flash2_amx without a part, on a CPU with AMX.
$(BUILD)/docs/lab/without_amx: $(BUILD)/docs/lab/without_amx.$(firstword $(AMX_TARGETS)).o

## bench           every step of 04-06 at this machine's speed (minutes)
## bench-quick     the same in under a minute
## bench-bf16      the tables in bf16 alone, on a CPU with AMX
bench bench-quick bench-bf16: $(BUILD)/docs/lab/bench
	@$< $(filter quick bf16,$(subst -, ,$@))

## bench-peers     the fast steps beside the libraries that make peers installs
# FLASH2_TARGET=avx2: beside those who can be held to AVX2.
VENV = $(BUILD)/venv
# The first Python with NumPy.
NUMPY = $$(for p in "$$PYTHON" $(VENV)/bin/python python3 /usr/bin/python3; do \
	"$$p" -c 'import numpy' 2>/dev/null && echo "$$p" && break; done)
bench-peers: lib need-numpy
	@for what in forward back bf16; do \
		$(NUMPY) docs/lab/peers.py $(LIB) $$what || exit; done
	@for what in forward bf16; do OMP_NUM_THREADS=1 \
		$(NUMPY) docs/lab/peers.py $(LIB) $$what || exit; done

# What it calls beside the library, in whose folder it is.
bench-peers lab-check: LIB_FILES += peers.so
$(LIB)/peers.so: $(addprefix $(BUILD)/docs/lab/,peers.o three_calls.o \
		bench_problem.o) $(STEPS_O) $(ARCHIVES)
	$(call say,link   ,$@)
	$(Q)$(CC) $(CFLAGS) -shared -o $@ $^ $(LDLIBS) $(OPENMP)

# PyTorch's own index has a build for the CPU alone, of 0.2 GB in place of 3.
PIP = $(VENV)/bin/python -m pip install -q
## peers           install NumPy, PyTorch, ninja, ONNX Runtime, OpenVINO in build/venv
peers:
	@python3 -m venv $(VENV)
	@$(PIP) --index-url https://download.pytorch.org/whl/cpu torch || $(PIP) torch
	@$(PIP) numpy onnx onnxruntime openvino ninja setuptools
	@echo "next: make bench-peers"

# A peer of bench-peers is to be as fast as it can, and so is a copy of a step.
PEER = $(addprefix $(BUILD)/docs/lab/,three_calls.o without.o)
$(PEER): CFLAGS += -O3 -ffp-contract=fast $$(cat $(BUILD)/native) $(OPENMP)
$(PEER): | $(BUILD)/native $(BUILD)/openmp

