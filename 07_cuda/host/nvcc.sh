#!/bin/sh
# 07_cuda/host/nvcc.sh SOURCE OBJECT COMMAND...: compiles SOURCE by COMMAND. A message
# C75xx is an error: ptxas has serialised wgmma, and its times would be wrong. If ANYHOW
# is set, a rung that does not compile becomes an OBJECT whose functions return error 209
# (no kernel image), and a line names it. Without COMMAND this is made at once.
set -u
export LC_ALL=C
source=$1 object=$2
shift 2

refused() {
    sed -n 's/^int \([a-z0-9_]*\)(.*/int \1(void) { return 209; }/p' "$source" |
        ${CC:-cc} -fPIC -x c -c -o "$object" -
}

[ $# -gt 0 ] || { refused && exit; }
"$@" >"$object.log" 2>&1
status=$?
why="not compiled"
cat "$object.log" >&2
if grep -q '(C75[0-9][0-9])' "$object.log"; then
    why="ptxas serialised wgmma (C75xx); CUDA 12.6 or later is needed"
    status=1
fi
rm -f "$object.log"
[ $status -ne 0 ] || exit 0
case ${ANYHOW:+$source} in
*/rung* | */b[1-4]*_* | */full_without_*)
    echo "FAILED  $source: $why"
    refused && touch -t 200001010000 "$object" # so that make tries it again
    exit
    ;;
esac
echo "$source: $why" >&2
rm -f "$object"
exit 1
