#!/bin/sh
# 06_flash2/ring/mpirun.sh P PROGRAM...: mpirun -n P on this machine alone, with
# more ranks than cores and as root, for which Open MPI needs options.
set -u

mpirun=${MPIRUN:-mpirun}
ranks=$1
shift
# A container may show no processors and no network in /sys: that is no news.
export HWLOC_HIDE_ERRORS=2 UCX_LOG_LEVEL=fatal
case $($mpirun --version 2>/dev/null) in
*"Open MPI"* | *OpenRTE*)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # Ranks that wait give way, for there are more of them than cores; they are
    # all on this machine, which may have no network; and none of them reads the
    # memory of another, which containers forbid. Open MPI 4 then says no more
    # about a rank that failed than the rank did.
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=^tcp
    export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_orte_execute_quiet=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma
    exec $mpirun --oversubscribe --bind-to none -n "$ranks" "$@"
    ;;
esac
exec $mpirun -n "$ranks" "$@"
