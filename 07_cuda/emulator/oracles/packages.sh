#!/bin/sh
# packages.sh FOLDER: NVIDIA's headers (CuTe's and CUDA's) and its disassembler
# from PyPI, in the versions that packages.txt names: 73 MB, and no toolkit. If
# they can't be had, one line says so and the exit code is 3.
set -u
export LC_ALL=C

folder=$1
list=$(dirname "$0")/packages.txt

cmp -s "$list" "$folder/packages.txt" && exit 0
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
python3 -m pip install -q --disable-pip-version-check --no-deps --retries 1 \
    --root-user-action=ignore --target "$folder" -r "$list" \
    >"$folder.log" 2>&1 || {
    rm -rf "$folder"
    echo "packages.txt: not to be had from PyPI ($folder.log)" >&2
    exit 3
}
chmod +x "$folder/nvidia/cu13/bin/nvdisasm"
cp "$list" "$folder/packages.txt"
