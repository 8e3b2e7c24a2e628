# hopper.mk: the rungs for Hopper. 07_cuda.mk builds rung*.cu and test_*.c.

$(CU)/test_hopper: $(CU)/hopper_steps.o
