#!/bin/sh
# public_kernels.sh [FOLDER]: prints public_kernels.tsv, a list of kernels of other authors, as a
# table. With FOLDER it runs cuda-check on the kernels whose repository has a clone in
# FOLDER (FOLDER/lectures and so on), which must have the changes that the table lists.
export LC_ALL=C
here=$(dirname "$0") check=${BUILD:-build}/07_cuda/cuda-check tab=$(printf '\t')
if [ $# = 0 ]; then
    echo '| file, commit | change | what it reports |'
    echo '|---|---|---|'
    awk -F '\t' '!/^#/ {
        path = $3
        if (!sub(/^\047/, "", path))
            sub(/ .*/, "", path)
        sub(/\047.*/, "", path) # a path with blanks is in quotes
        n = split(path, part, "/")
        gsub(/ /, "%20", path)
        printf "| [%s `%s`](https://github.com/%s/blob/%s/%s) | %s | %s |\n",
            $1, part[n], $1, $2, path, $4, $5
    }' "$here/public_kernels.tsv"
    exit
fi
[ -x "$check" ] || { echo "$check: make cuda-check first" >&2; exit 2; }
check=$(cd "$(dirname "$check")" && pwd)/${check##*/}
grep -v '^#' "$here/public_kernels.tsv" |
    while IFS=$tab read -r repository _ arguments change _; do
        cd "$1/${repository#*/}" 2>/dev/null || continue
        echo "== $repository ${arguments%% *} ($change)"
        eval "$check $arguments" </dev/null
        echo "exit status $?"
        cd "$OLDPWD" || exit
    done
