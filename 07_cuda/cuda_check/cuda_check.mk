# cuda_check.mk: the emulator for anybody's .cu (docs/cuda_check.md).

CUDA_CHECK = $(BUILD)/07_cuda/cuda-check

$(CUDA_CHECK): $(CUDA_ON_CPU_LIB) $(BUILD)/07_cuda/hooks
	@printf '#!/bin/sh\nCUDA_CHECK_BUILD=%s exec python3 -B %s "$$@"\n' \
	 '$(abspath $(BUILD))' '$(CURDIR)/07_cuda/cuda_check/cuda_check.py' >$@
	@chmod +x $@

## cuda-check      run your kernels on the emulator (FILE=my.cu FILES= INCLUDE= ARGS=)
.PHONY: cuda-check
cuda-check: $(CUDA_CHECK)
	@[ '$(FILE)$(FILES)' ] || { echo 'FILE=my.cu is missing' >&2; exit 2; }
	@$(CUDA_CHECK) $(FILE) $(FILES) $(addprefix -I,$(INCLUDE)) -- $(ARGS)
