# Builds, installs and tests the library of the fast steps (docs/library.md).

LIB = $(BUILD)/lib
LIB_FILES = libflash.a libflash.so flash.h flash.py flash.pc
PREFIX = /usr/local
VERSION = 1.0

## lib             a library for C and NumPy in build/lib (minutes)
## install         install the library (PREFIX=/usr/local, DESTDIR=)
# Everything is compiled again, as position-independent code and for each target.
LIB_MAKE = $(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD)/lib/objects PORTABLE=1 \
           OPT='$(OPT) -fPIC' NO_CUDA=1
lib:
	+@$(LIB_MAKE) LIB=$(LIB) $(LIB_FILES:%=$(LIB)/%)
	@echo "next: make lib-check"
	@echo "  or: make install PREFIX=..."

# Links all objects into one object, in which only the names of flash.h are visible.
$(BUILD)/flash.o: $(STEPS_O) $(ARCHIVES)
	$(call say,link   ,$@)
	$(Q)$(LD) -r -o $@ $(BUILD)/tools/flash/flash.o \
		--start-group $(ALL_STEPS) $(ARCHIVES) --end-group
	$(Q)objcopy --wildcard --keep-global-symbol='flash_*' $@
$(BUILD)/flash.o: $(ALL_STEPS)
$(LIB)/libflash.a: $(BUILD)/flash.o
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $<
$(LIB)/libflash.so: $(BUILD)/flash.o | $(BUILD)/openmp
	$(Q)mkdir -p $(@D) && $(CC) -shared -o $@ $< $(LDLIBS) $(OPENMP)
$(LIB)/flash.h $(LIB)/flash.py: $(LIB)/%: tools/flash/%
	$(Q)mkdir -p $(@D) && cp $< $@
# In quotes, so that pkg-config escapes the blanks of a prefix.
$(LIB)/flash.pc: tools/flash/library.mk | $(BUILD)/openmp
	$(Q)mkdir -p $(@D) && printf '%s\n' 'prefix=/usr/local' 'Name: flash' \
		'Description: FlashAttention on the CPU' 'Version: $(VERSION)' \
		'Cflags: "-I$${prefix}/include"' 'Libs: "-L$${prefix}/lib" -lflash' \
		"Libs.private: $(LDLIBS) $(OPENMP)" >$@

export PREFIX
check-prefix:
	@case "$$PREFIX" in *[\'\"\\\$$\#]* | [!/]* | '') \
		printf "PREFIX: '%s' is not allowed (allowed: an absolute path %s)\n" \
			"$$PREFIX" "without quotes, backslashes, \$$ and #" >&2; exit 2 ;; esac

install: check-prefix lib
	@root="$(DESTDIR)$$PREFIX" && \
	mkdir -p "$$root/include" "$$root/lib/pkgconfig" && \
	cp $(LIB)/flash.h "$$root/include" && \
	cp $(LIB)/libflash.a $(LIB)/libflash.so $(LIB)/flash.py "$$root/lib" && \
	{ printf 'prefix=%s\n' "$$PREFIX" && sed 1d $(LIB)/flash.pc; } \
		>"$$root/lib/pkgconfig/flash.pc" && echo "installed in $$root"
	@echo "next: open docs/library.md"

EXAMPLE = tools/flash/example/example.c
## lib-check       test the library from C (with pkg-config) and from NumPy
lib-check: lib need-numpy $(FLASH)
	@$(MAKE) --no-print-directory PREFIX=$(abspath $(LIB))/installed install
	@$(MAKE) --no-print-directory PREFIX='$(abspath $(LIB))/a folder' install
	@export PKG_CONFIG_PATH=$(LIB)/installed/lib/pkgconfig && \
	export LD_LIBRARY_PATH=$(LIB)/installed/lib && \
	$(CC) $(EXAMPLE) -o $(LIB)/shared $$(pkg-config --cflags --libs flash) && \
	$(CC) $(EXAMPLE) -o $(LIB)/static $$(pkg-config --cflags flash) $(LIB)/libflash.a \
		$$(pkg-config --static --libs flash | sed 's/-lflash//') && \
	export PKG_CONFIG_PATH='$(LIB)/a folder/lib/pkgconfig' && \
	eval "$(CC) $(EXAMPLE) -o $(LIB)/blanks $$(pkg-config --cflags --libs flash)" && \
	$(LIB)/shared >$(LIB)/shared.txt && cat $(LIB)/shared.txt && \
	$(LIB)/static | cmp - $(LIB)/shared.txt && \
	$(LIB)/blanks | cmp - $(LIB)/shared.txt && echo '1 passed, 0 failed'
	@$(NUMPY) tools/flash/test_flash.py $(LIB) $(FLASH)
	@$(NUMPY) -W ignore tools/flash/test_npy.py $(FLASH)
	@echo "next: make lib-callers"

## lib-tests       run the tests of chapter 06 with the library's objects
lib-tests:
	+@$(LIB_MAKE) test-06

## torch-check     test the library from PyTorch (after make peers)
TORCH = $$(for p in $(VENV)/bin/python python3; do \
	"$$p" -c 'import torch' 2>/dev/null && echo "$$p" && exit; done; echo python3)
torch-check: lib
	@$(TORCH) tools/flash/test_torch.py $(LIB)
	@echo "next: open docs/library.md"

## lib-callers     test eight concurrent callers with clang's TSan
# TSan needs libarcher to detect OpenMP's synchronisation. Without it OpenMP is off.
lib-callers: need-clang
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/callers CC=clang NO_CUDA=1 \
		OPT='-O1 -g -fsanitize=thread' $$([ -f "$$(clang \
		-print-resource-dir)/../../libarcher.so" ] || echo OPENMP=) \
		$(BUILD)/callers/tools/flash/test_flash
	@TSAN_OPTIONS='ignore_noninstrumented_modules=1' \
		$(BUILD)/callers/tools/flash/test_flash
	@echo "next: make check"
