#!/bin/sh
# tools/torch.sh FOLDER: PyTorch and NumPy from pip, in a virtual environment of
# their own. PyTorch's own index has a build for the CPU alone, of 0.2 GB;
# without it PyPI's is taken, which on Linux brings CUDA's libraries: 3 GB.
set -u
export LC_ALL=C

folder=$1
python=$folder/bin/python

command -v python3 >/dev/null || {
    echo "python3: not found (Debian: apt-get install python3-venv)" >&2
    exit 1
}
python3 -m venv "$folder" || {
    echo "$folder: python3 makes no virtual environment" \
        "(Debian: apt-get install python3-venv)" >&2
    exit 1
}
install() {
    "$python" -m pip install -q --disable-pip-version-check "$@"
}
install --retries 0 --index-url https://download.pytorch.org/whl/cpu \
    torch numpy 2>/dev/null ||
    {
        echo "PyTorch's index does not answer: from PyPI (on Linux 3 GB)"
        install torch numpy
    } ||
    exit 1
"$python" -c 'import numpy, torch; print("torch", torch.__version__)
print("numpy", numpy.__version__)'
