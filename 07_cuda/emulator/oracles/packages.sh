#!/bin/sh
# packages.sh FOLDER: installs NVIDIA's disassembler from PyPI. Exits with status 3 if pip
# cannot install it.
set -u
export LC_ALL=C

folder=$1
package=nvidia-cuda-nvdisasm==13.2.51

[ -e "$folder/$package" ] && exit 0
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
python3 -m pip install -q --disable-pip-version-check --no-deps --retries 1 \
    --root-user-action=ignore --target "$folder" "$package" \
    >"$folder.log" 2>&1 || {
    rm -rf "$folder"
    echo "packages.sh: $package: pip cannot install it; see $folder.log" >&2
    exit 3
}
chmod +x "$folder/nvidia/cu13/bin/nvdisasm"
: >"$folder/$package"
