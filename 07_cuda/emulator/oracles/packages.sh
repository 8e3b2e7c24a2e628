#!/bin/sh
# packages.sh FOLDER: installs NVIDIA's disassembler from PyPI, in the version of
# packages.txt. Exits 3 with one line if PyPI is not reachable.
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
