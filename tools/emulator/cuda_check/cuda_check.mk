# cuda_check.mk: builds and tests cuda-check, which runs a user's .cu file on the emulator
# (docs/cuda_check.md).

CUDA_CHECK = $(BUILD)/07_cuda/cuda-check

$(CUDA_CHECK): $(CUDA_ON_CPU_LIB) $(BUILD)/07_cuda/hooks \
		$(BUILD)/tools/flash/run
	@printf '#!/bin/sh\n# of %s\nCUDA_CHECK_BUILD="%s" exec python3 -B "%s" "$$@"\n' \
	 '$(CUDA_ON_CPU_LIB) $(wildcard tools/emulator/cuda_check/*.py)' \
	 '$(abspath $(BUILD))' '$(CURDIR)/tools/emulator/cuda_check/cuda_check.py' >$@
	@chmod +x $@

WOVEN += $(CUDA_CHECK)

## cuda-check      run your kernels on the emulator (FILE= FILES= ARGS=)
cuda-check: export MORE_FILES := \
	$(if $(filter command,$(firstword $(origin FILES))),$(value FILES))
cuda-check: need-python3 $(CUDA_CHECK)
	@[ "$$FILE$$MORE_FILES" ] || \
		{ echo 'make cuda-check: FILE is missing; use FILE=my.cu' >&2; exit 2; }
	@$(CUDA_CHECK) $${FILE:+"$$FILE"} $$MORE_FILES \
	 $$(for folder in $$INCLUDE; do echo "-I$$folder"; done) -- $$ARGS
	@echo "next: open docs/cuda_check.md"

## test-cuda-check run cuda-check on small right and wrong programs
test-cuda-check: need-python3 $(CUDA_CHECK)
	@sh tools/emulator/cuda_check/tests/test_cuda_check.sh '$(abspath $(CUDA_CHECK))'
	@echo "next: open docs/cuda_check.md"
