#!/bin/sh
# 06_flash2/ring/mpirun.sh P PROGRAM...: runs PROGRAM on P ranks of this machine. Sets
# the options that Open MPI needs for more ranks than cores, for the user root, and in
# containers.
set -u

mpirun=${MPIRUN:-mpirun}
ranks=$1
shift
# Hides warnings in a container whose /sys has no processors and no network.
export HWLOC_HIDE_ERRORS=2 UCX_LOG_LEVEL=fatal
case $($mpirun --version 2>/dev/null) in
*"Open MPI"* | *OpenRTE*)
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    # There may be more ranks than cores, so a rank that waits must yield its core.
    # All ranks are on this machine, which may have no network: no TCP. Containers
    # may forbid that a process reads the memory of another process: no CMA. And Open
    # MPI 4 must not print its own message if a rank fails.
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=^tcp
    export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_orte_execute_quiet=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma
    exec $mpirun --oversubscribe --bind-to none -n "$ranks" "$@"
    ;;
esac
exec $mpirun -n "$ranks" "$@"
