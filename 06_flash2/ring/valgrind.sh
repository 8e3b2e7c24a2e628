#!/bin/sh
# 06_flash2/ring/valgrind.sh TEST BACK: two ranks under valgrind, which is told
# what Open MPI itself keeps and never frees: the tests of the way forward and
# of the way back, less the longest of each.
set -u

# Where Open MPI brings a list of its own, that counts too.
known=
file=$(dirname "$(dirname "$(command -v mpirun)")")/share/openmpi
file=$file/openmpi-valgrind.supp
[ -r "$file" ] && known="--suppressions=$file"
for only in 'every_step*' 'in_bf16*' 'a_rank_reads*' 'gradients*'; do
    [ "$only" = 'gradients*' ] && shift
    # shellcheck disable=SC2086
    TEST_ONLY=$only sh 06_flash2/ring/mpirun.sh 2 valgrind -q \
        --error-exitcode=9 --leak-check=full \
        --errors-for-leak-kinds=definite --show-leak-kinds=definite $known \
        --suppressions=06_flash2/ring/valgrind.supp "$1" || exit 1
done
