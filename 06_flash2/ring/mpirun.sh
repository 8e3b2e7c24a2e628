#!/bin/sh
# 06_flash2/ring/mpirun.sh P PROGRAM...: runs mpirun -n P on this machine. Adds
# the options that Open MPI needs for more ranks than cores, and for root.
set -u

mpirun=${MPIRUN:-mpirun}
ranks=$1
shift
# In a container /sys may show no processors and no network: hide the warnings.
export HWLOC_HIDE_ERRORS=2 UCX_LOG_LEVEL=fatal
case $($mpirun --version 2>/dev/null) in
*"Open MPI"* | *OpenRTE*)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # There are more ranks than cores, so ranks that wait must yield. All ranks
    # are on this machine, which may have no network. They must not read each
    # other's memory, which containers forbid. And Open MPI 4 shall add no
    # message about a rank that failed.
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=^tcp
    export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_orte_execute_quiet=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma
    exec $mpirun --oversubscribe --bind-to none -n "$ranks" "$@"
    ;;
esac
exec $mpirun -n "$ranks" "$@"
