# objects.mk: compiles the C files.

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CHOICE) $(CFLAGS) -MMD -MP -c $< -o $@

OBJECTS = $(patsubst %.c,$(BUILD)/%.o,$(STEP_FILES) $(COMMON) $(FOR_TESTS) $(LAB) \
            $(LAB_SHARED)) $(PROGRAMS:%/run=%/main.o) $(TESTS:%=%.o) \
          $(FAST_06_O) $(COMMON_FAST_O)
-include $(wildcard $(OBJECTS:.o=.d))

# $(BUILD)/flags is written only if the compiler or the flags change.
COMPILER := $(CC) $(CPPFLAGS) $(CFLAGS), $(FAST), $(TARGETS) $(AMX_TARGETS) \
            $(PAIRS_TARGETS)
$(BUILD)/flags: FORCE
	@sh tools/require.sh $(BUILD)/
	@echo '$(COMPILER)' | cmp -s - $@ || \
		{ sh tools/require.sh compiler && echo '$(COMPILER)' >$@; }
.PHONY: FORCE

fast = $(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) $(FAST) \
       -ffp-contract=fast -DTARGET=$(1) -MMD -MP -c $< -o $@
$(BUILD)/%.native.o: %.c $(BUILD)/flags | $(BUILD)/native
	$(call say,compile,$<)
	$(call fast,native $$(cat $(BUILD)/native))
$(BUILD)/%.avx512.o: %.c $(BUILD)/flags
	$(call fast,avx512 -mavx512f -mavx2 -mfma -mprefer-vector-width=512)
$(BUILD)/%.avx2.o: %.c $(BUILD)/flags
	$(call fast,avx2 -mavx2 -mfma)
$(BUILD)/%.base.o: %.c $(BUILD)/flags
	$(call fast,base)
$(BUILD)/%.amx.o: %.c $(BUILD)/flags
	$(call fast,amx $(AMX))
$(BUILD)/%.pairs.o: %.c $(BUILD)/flags
	$(call fast,pairs $(AVX512_BF16))
# This test calls functions of simd.h, which may need fused multiply-adds.
$(BUILD)/06_flash2/fast/test_fast_path.o: CFLAGS += -ffp-contract=fast
# The models emulate vectors, which take minutes to compile with -O3. Without
# contraction of products all targets of a flash2_amx step round equally.
MODEL = -O2 -Wno-psabi -ffp-contract=off
$(BUILD)/%.model.o: %.c $(BUILD)/flags
	$(call fast,model $(MODEL))
$(BUILD)/%.pairs_model.o: %.c $(BUILD)/flags
	$(call fast,pairs_model $(MODEL))
# clang 19 warns about a vector width that it chose itself. By default compilers use only
# half of AVX-512's width. For AMD's CPUs GCC fuses only some multiply-adds, so equal rows
# could get different bits.
QUIET_NATIVE = -march=native -Wno-invalid-feature-combination
$(BUILD)/native: $(BUILD)/flags
	@{ sh tools/first_flag.sh -march=native '$(QUIET_NATIVE)' \
	      -mcpu=native && \
	   sh tools/first_flag.sh -mprefer-vector-width=512 && \
	   sh tools/first_flag.sh --param=avoid-fma-max-bits=0; } >$@

# A compiler without OpenMP ignores OpenMP's pragmas, and the programs use one thread.
OPENMP = $$(cat $(BUILD)/openmp)
$(BUILD)/openmp: $(BUILD)/flags
	@sh tools/first_flag.sh -fopenmp -Wno-unknown-pragmas >$@
PARALLEL = $(addprefix $(BUILD)/,common/threads.o common/speed/peak.o \
             06_flash2/fast/query_blocks.o 06_flash2/fast/bf16_heads.o)
$(PARALLEL): CFLAGS += $(OPENMP)
$(PARALLEL): | $(BUILD)/openmp

# pkg-config finds a CMocka outside the compiler's search path, for example Homebrew's.
CMOCKA_FLAGS = $$(pkg-config --cflags cmocka 2>/dev/null)
CMOCKA_LIBS = $$(pkg-config --libs cmocka 2>/dev/null || echo -lcmocka)
NEED_CMOCKA = $(TESTS:%=%.o) $(FOR_TESTS:%.c=$(BUILD)/%.o)
$(NEED_CMOCKA): CFLAGS += $(CMOCKA_FLAGS)
$(NEED_CMOCKA): | $(BUILD)/cmocka
$(BUILD)/cmocka: $(BUILD)/flags
	@sh tools/require.sh cmocka
	@touch $@
