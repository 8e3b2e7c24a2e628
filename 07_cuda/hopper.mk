# hopper.mk: what the rungs for Hopper need besides what 07_cuda.mk does for
# every rung*.cu and test_*.c.

$(CU)/test_hopper: $(CU)/hopper_steps.o

## nvcc-hopper     the Hopper rungs through nvcc: no spills, nothing serialised
.PHONY: nvcc-hopper
nvcc-hopper:
	@NVCC='$(NVCC)' BUILD='$(BUILD)' sh 07_cuda/nvcc_hopper.sh \
	 $(wildcard 07_cuda/rung[89]_*.cu 07_cuda/rung1?_*.cu)
	@echo "next: docs/hopper.md"
