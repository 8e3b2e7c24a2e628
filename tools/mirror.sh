#!/bin/sh
# tools/mirror.sh: the mirror of Debian that this system's own packages come
# from; nothing if apt knows of none.
export LC_ALL=C

mirror() {
    # shellcheck disable=SC2016 # apt's variables
    apt-get indextargets --format '$(ORIGIN) $(LABEL) $(SITE)' \
        'Created-By: Packages' 2>/dev/null |
        awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }' | grep .
}
mirror || { apt-get update -q >/dev/null 2>&1 && mirror; }
