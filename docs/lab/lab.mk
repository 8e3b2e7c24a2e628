# lab.mk: the lab's programs and the benchmarks.

# Tables with timings, or that take minutes, are in docs/results; the others in build/lab.
DRAWN := race $(if $(LEFT_OUT),,pipeline) $(patsubst docs/lab/%.gp,%,$(wildcard docs/lab/*.gp))
NO_DATA = fragments layouts pairs # these scripts need no data
TABLES := misses rising without without_amx $(filter-out $(NO_DATA),$(DRAWN))
KEPT := $(patsubst docs/results/%.tsv,%,$(wildcard docs/results/*.tsv))
LAB_DATA := $(patsubst %,$(BUILD)/lab/%.tsv,$(filter-out $(KEPT),$(TABLES)))
# print_table runs a program and writes its table.
print_table = @mkdir -p $(@D) && $< $(1) >$@.part && mv $@.part $@ && \
              echo "  made    $@"
$(BUILD)/lab/%.tsv: $(BUILD)/docs/lab/%
	$(call print_table)
PICTURES = desk halves loops race roads row sentence
$(PICTURES:%=$(BUILD)/lab/%.tsv): $(BUILD)/lab/%.tsv: $(BUILD)/docs/lab/pictures
	$(call print_table,$*)
$(BUILD)/lab/loss.tsv: $(FLASH)
	@mkdir -p $(@D)
	@$< precision softmax --csv --n 64,1024,32768,1048576 --repeat 8 \
		--rows normal:0.25,sorted:4 >$@.csv
	@$< precision attention --csv --n 1024 --types fp32,bf16 \
		--bc 1,4,16,64,256,1024 >>$@.csv
	@tr , '\t' <$@.csv >$@
	@echo "  made    $@"

## lab             compute the lab's data in build/lab (lab-NAME: one)
ANEW := $(filter-out bench bench_peers,$(TABLES))
.PHONY: $(ANEW:%=lab-%)
lab: $(ANEW:%=lab-%)
	@echo "next: open docs/results/README.md"
$(ANEW:%=lab-%): lab-%:
	@rm -f $(BUILD)/lab/$*.tsv
	@$(MAKE) --no-print-directory $(BUILD)/lab/$*.tsv
	@echo "next: make plots"

## shapes          time flash1, flash2 and standard at 4 sizes (minutes)
shapes: $(FLASH)
	@for sizes in '16 12 64' '16 12 256' '16 12 2048' '8 12 64'; do \
	    for step in standard_attention flash1 flash2; do \
	        set -- $$sizes; \
	        $< sweep --csv --batch $$1 --heads $$2 --n $$3 --d 64 --steps $$step || exit; \
	    done; \
	done | awk '!seen[$$0]++' | tr , '\t' >$(BUILD)/shapes.tsv
	@echo "next: cp $(BUILD)/shapes.tsv docs/results/"
	@echo "then: make docs"

## lab-check       compare the lab with docs/results
# It also compares the results of all installed peers with float64, for 64 queries.
lab-check: need-numpy $(BUILD)/docs/lab/precision $(FLASH) \
		$(BUILD)/03_online_softmax/run lib
	@sh tools/check_lab.sh
	@$(NUMPY) docs/lab/peers.py $(LIB) forward 64
	@echo "next: make check"

## plots           draw the pages' plots in docs/plots again (minutes)
plots: need-gnuplot $(PROGRAMS) $(CUDA_PROGRAMS) $(LAB_DATA)
	@PLOTS=docs/plots sh tools/plot.sh $(PLOTTED)
	@echo "next: git diff --stat docs/plots"

## plots-check     draw all plots with this machine's gnuplot, and test them
plots-check: need-gnuplot $(PROGRAMS) $(CUDA_PROGRAMS) $(LAB_DATA)
	@sh tools/test_plots.sh $(PLOTTED)
	@echo "next: make check"

## moving          time a multiplication and a load on this machine
moving: $(BUILD)/docs/lab/moving
	@$<

# without_amx links its own copy of flash2_amx, compiled for AMX if possible.
WITHOUT_AMX = $(BUILD)/docs/lab/without_amx.$(firstword $(AMX_TARGETS)).o
$(BUILD)/docs/lab/without_amx: $(WITHOUT_AMX)
-include $(wildcard $(WITHOUT_AMX:.o=.d))

## bench           time every step of 04-06 (minutes)
## bench-quick     time the most important steps and shapes (a minute)
## bench-bf16      time the steps in bf16, on a CPU with AMX or AVX512-BF16
bench bench-quick bench-bf16: $(BUILD)/docs/lab/bench
	@$< $(filter quick bf16,$(subst -, ,$@))

## bench-peers     time the fast steps and the libraries of make peers
# FLASH2_TARGET=avx2 leaves out the libraries that cannot be limited to AVX2.
VENV = $(BUILD)/venv
NUMPY = $$(for p in "$$PYTHON" $(VENV)/bin/python python3 /usr/bin/python3; do \
	"$$p" -c 'import numpy' 2>/dev/null && echo "$$p" && break; done)
bench-peers: lib need-numpy
	@for what in forward back bf16; do \
		$(NUMPY) docs/lab/peers.py $(LIB) $$what || exit; done
	@for what in forward bf16; do OMP_NUM_THREADS=1 \
		$(NUMPY) docs/lab/peers.py $(LIB) $$what || exit; done
	@echo "next: open docs/cpu_speed.md"

bench-peers lab-check: LIB_FILES += peers.so
$(LIB)/peers.so: $(addprefix $(BUILD)/docs/lab/,peers.o three_calls.o \
		bench_problem.o) $(STEPS_O) $(ARCHIVES)
	$(call say,link   ,$@)
	$(Q)$(CC) $(CFLAGS) -shared -o $@ $^ $(LDLIBS) $(OPENMP)

# PyTorch's index has a build for CPUs only. It is 0.2 GB instead of 3 GB.
PIP = $(VENV)/bin/python -m pip install -q
## peers           install PyTorch, ONNX Runtime, OpenVINO in build/venv
peers: need-venv
	@python3 -m venv $(VENV)
	@$(PIP) --index-url https://download.pytorch.org/whl/cpu torch || $(PIP) torch
	@$(PIP) numpy onnx onnxruntime openvino ninja setuptools
	@echo "next: make bench-peers"

# three_calls and `without` (which includes flash2_simd.c) get the fast steps' flags.
PEER = $(addprefix $(BUILD)/docs/lab/,three_calls.o without.o)
$(PEER): CFLAGS += -O3 -ffp-contract=fast $$(cat $(BUILD)/native) $(OPENMP)
$(PEER): | $(BUILD)/native $(BUILD)/openmp

