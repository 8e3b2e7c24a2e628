# machine.mk: sets what this machine can build.

# LEFT_OUT is the reason why chapter 07 is left out, or empty. The chapter's emulator
# needs Linux on x86-64 or aarch64, and a C++ compiler.
LEFT_OUT =
ifneq ($(NO_CUDA),)
LEFT_OUT = chapter 07 left out: NO_CUDA is set
else ifeq ($(wildcard 07_cuda),)
LEFT_OUT = chapter 07 left out: the folder 07_cuda is missing
else ifeq ($(wildcard tools/emulator),)
LEFT_OUT = chapter 07 left out: the folder tools/emulator is missing
else ifneq ($(shell uname -s),Linux)
LEFT_OUT = chapter 07 left out: without a GPU it needs Linux
else ifeq ($(filter x86_64 amd64 aarch64 arm64,$(shell uname -m)),)
LEFT_OUT = chapter 07 left out: its emulator is for x86-64 and aarch64
else ifeq ($(shell command -v $(firstword $(CXX)) 2>/dev/null),)
LEFT_OUT = chapter 07 left out: no C++ compiler (sh setup.sh installs g++)
else ifneq ($(findstring sanitize,$(OPT)),)
LEFT_OUT = chapter 07 left out: its emulator has its own sanitizer
endif
export LEFT_OUT

# The fast files are compiled for this machine. With PORTABLE=1 they are compiled for
# several targets, and a program selects one when it starts (common/speed/targets.h).
PORTABLE_TARGETS := $(if $(filter x86_64 amd64,$(shell uname -m)),avx512 avx2) \
                    base
TARGETS = $(if $(PORTABLE),$(PORTABLE_TARGETS),native)
# The bf16 steps are always compiled in plain C. If this machine has AMX or AVX512-BF16,
# they are also compiled for these, with PORTABLE=1 or AMX_CODE=1 on any x86-64 machine
# (06_flash2/fast/bf16_heads.h).
AVX512_BF16 = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512bf16 -mfma \
              -mprefer-vector-width=512
AMX = $(AVX512_BF16) -ffp-contract=off -mamx-tile -mamx-bf16
takes = $(shell { [ '$(PORTABLE)$(AMX_CODE)' ] || grep -qsw $(1) /proc/cpuinfo; } && \
          echo | $(CC) $(2) -E - >/dev/null 2>&1 && echo $(3))
AMX_TARGETS := $(call takes,amx_bf16,$(AMX),amx) model
PAIRS_TARGETS := $(call takes,avx512_bf16,$(AVX512_BF16),pairs) pairs_model
CHOICE = '-DTARGETS=$(patsubst %,X(%),$(TARGETS))' \
         '-DAMX_TARGETS=$(patsubst %,X(%),$(AMX_TARGETS))' \
         '-DPAIRS_TARGETS=$(patsubst %,X(%),$(PAIRS_TARGETS))'
