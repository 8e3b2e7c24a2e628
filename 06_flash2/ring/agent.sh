#!/bin/sh
# 06_flash2/ring/agent.sh HOST COMMAND...: what mpirun calls in place of ssh: the
# command on a host that is a network namespace (hosts.sh); 10.77.0.3 is h3.
while [ "${1#-}" != "$1" ]; do
    shift
done
host=h${1##*.}
shift
exec ip netns exec "$host" unshare -u sh -c "hostname $host; exec sh -c '$*'"
