# hopper.mk: by nvcc, the rungs that are for Hopper alone.

# wgmma and setmaxnreg exist for sm_90a alone, and only in this spelling.
HOPPER := $(wildcard $(addprefix 07_cuda/rung,8_*.cu 9_*.cu 10_*.cu 11_*.cu))

$(HOPPER:07_cuda/%.cu=$(GPU)/%.o): \
  NVCC_FOR = -gencode=arch=compute_90a,code=sm_90a

## nvcc-hopper     the Hopper rungs through nvcc: no spills, nothing serialised
.PHONY: nvcc-hopper
nvcc-hopper:
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh 07_cuda/nvcc_hopper.sh $(HOPPER)
	@echo "next: docs/hopper.md"
