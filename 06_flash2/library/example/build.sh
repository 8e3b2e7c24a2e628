#!/bin/sh
# example/build.sh LIB CC: the example as its reader builds it, with the shared
# library and with the static one, from LIB/installed.
set -eu
lib=$1
cc=$2
source=06_flash2/library/example/example.c
export PKG_CONFIG_PATH="$lib/installed/lib/pkgconfig"
export LD_LIBRARY_PATH="$lib/installed/lib"

# shellcheck disable=SC2046 # flags
$cc $source -o "$lib/shared" $(pkg-config --cflags --libs flash)
# shellcheck disable=SC2046
$cc $source -o "$lib/static" $(pkg-config --cflags flash) \
    "$lib/installed/lib/libflash.a" \
    $(pkg-config --static --libs flash | sed 's/-lflash//')
"$lib/shared"
"$lib/static" >"$lib/static.txt"
"$lib/shared" | cmp - "$lib/static.txt"
echo '1 passed, 0 failed'
