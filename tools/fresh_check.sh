#!/bin/sh
# tools/fresh_check.sh: runs README's two commands on minimal Debian systems, which
# debootstrap makes. Each system has a clone of this repository's last commit. The script
# also runs the first exercises of 01 and 07: the skeleton is copied, a hint is printed, the
# solution passes. No command may print a warning. After bookworm it also draws all plots,
# because gnuplot is a newer one than that of `make check`.
#
# SYSTEMS has words SUITE:USER:COMPILER:OPTION, for example trixie:user:clang: . USER is
# root or user. COMPILER is gcc, clang, or a package such as gcc-15 or clang-22; a system
# without this package is left out. OPTION is an option of setup.sh, or empty. With --dev
# the script also makes the book. With ONLY=PATTERN `make test` builds all tests, but runs
# only these. Exits with 77 if it cannot run, for example without root.
set -u
. tools/tally.sh
PATH=$PATH:/usr/sbin:/sbin # the folder of debootstrap; su keeps a user's PATH

here=$PWD/build/fresh
cannot() {
    echo "fresh-check: $*" >&2
    exit 77
}
[ "$(id -u)" -eq 0 ] || cannot "needs root for debootstrap"
sh tools/require.sh debootstrap || exit 77
unshare --mount --pid --fork true 2>/dev/null ||
    cannot "unshare cannot make a mount namespace"

# mirror LABEL: prints the address from which this system gets the packages of Debian or
# Debian-Security.
mirror() {
    # shellcheck disable=SC2016 # apt expands them
    apt-get indextargets --format '$(ORIGIN) $(LABEL) $(SITE)' 'Created-By: Packages' |
        awk -v label="$1" '$1 == "Debian" && $2 == label { print $3; exit }'
}
from=$(mirror Debian)
[ "$from" ] || { apt-get update -q >/dev/null 2>&1 && from=$(mirror Debian); }
[ "$from" ] || cannot "apt has no mirror of Debian"

# as WHO COMMAND: runs a command in the folder $clone of the new system, as root or as a
# user. MPI needs /dev/shm.
as() {
    user=root
    path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    [ "$1" = root ] || user=reader path=/usr/local/bin:/usr/bin:/bin
    echo "[$1 $(date +%T)] \$ $2" >>"$log"
    # shellcheck disable=SC2016 # the inner sh expands them
    timeout 3600 unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$1/proc" &&
            mount -t tmpfs -o mode=1777 shm "$1/dev/shm" || exit 1
        exec chroot --userspec="$2" "$1" /usr/bin/env -i HOME="${3%/*}" \
            PATH="$5" ${http_proxy+http_proxy="$http_proxy"} \
            sh -c "cd \"$3\" && $4"' \
        sh "$root" "$user" "$clone" "$2" "$path" >>"$log" 2>&1 </dev/null
}

# administrator: runs setup.sh as a user, and then as root the command that it printed.
administrator() {
    not as user "sh setup.sh $option" || return 1
    line=$(sed -n 's/^    \(apt-get update .*\)/\1/p' "$log" | tail -n 1)
    [ "$line" ] && as root "$line"
}

# exercise NN: true if the first exercise's skeleton is copied and its solution passes.
exercise() {
    for solution in "$1"_*/exercise/*/solution/*.c*; do break; done
    named=${solution#*/exercise/}
    named="$with E=${named%%/*}"
    not as "$who" "make $named exercise-$1" &&
        tail -n 20 "$log" | grep -q 'copied from the skeleton; edit this file' &&
        as "$who" "make $named hint-$1" &&
        as "$who" "cp $solution work/$1/ && make $named exercise-$1" &&
        tail -n 3 "$log" | grep -q 'all tests passed'
}

# reader: runs README's commands and two exercises. True if all succeed, `git status` is
# empty, and no warning is printed.
reader() {
    [ "$packages" = '' ] || as root "apt-get install -q -y $packages" || return
    [ "$who" = root ] || administrator || return
    # shellcheck disable=SC2016 # ONLY is expanded, because " encloses it
    awk '/^## / { under = /Two commands/ }
        /^```/ { inside = under && /sh$/; next }
        inside' README.md | sed "s/setup.sh/& $option/; s/make/& $with/
        s/ test\$/&${ONLY:+ ONLY='$ONLY'}/" >"$tmp/typed"
    [ "$(grep -c . "$tmp/typed")" -eq 2 ] || return
    while read -r line; do
        as "$who" "$line" || return
    done <"$tmp/typed"
    exercise 01 && exercise 07 || return
    # The short form, with ONLY, leaves out the plots, which take minutes.
    [ "$suite" = bookworm ] || [ "${ONLY-}" ] ||
        as "$who" "make $with plots-check" || return
    [ "$option" != --dev ] || as "$who" 'make book' || return
    {
        git -c safe.directory='*' -C "$root$clone" status --porcelain 2>&1
        grep -nE '(:[0-9]+: |^([a-z0-9/+-]+: )?)warning: ' "$log" |
            grep -vE ':(dpkg[a-z-]*|update-alternatives): '
        grep -n 'left out' "$log" | grep -v "no MPI.*${option:+$option was}"
    } >"$tmp/wrong"
    cat "$tmp/wrong" >>"$log"
    [ ! -s "$tmp/wrong" ]
}

mkdir -p "$here"
root=$here/none
trap 'rm -rf --one-file-system "$root" "$tmp"' EXIT
trap 'exit 130' INT TERM
for each in ${SYSTEMS:-bookworm:root:gcc: bookworm:user:clang:--mpi \
    trixie:user:gcc:--mpi trixie:root:clang:}; do
    IFS=: read -r suite who compiler option <<END
$each
END
    root=$here/$suite-$who-$compiler$option
    log=$root.log
    version=${compiler#*-}
    case $compiler in
    gcc) packages='' with='' ;;
    clang) packages=clang with=CC=clang ;;
    gcc-*) packages="$compiler g++-$version" with="CC=$compiler CXX=g++-$version" ;;
    *) packages="$compiler libomp-$version-dev" with="CC=$compiler CXX=clang++-$version" ;;
    esac
    # Each path has blanks and a letter that is not ASCII.
    clone='/root/für flash attention'
    [ "$who" = root ] || clone='/home/reader/für flash attention'
    rm -rf "$root" && mkdir -p "$root" "$here/debs" || exit 1
    script=/usr/share/debootstrap/scripts/$suite
    [ -e "$script" ] || script=${script%/*}/sid
    timeout 900 debootstrap --variant=minbase --cache-dir="$here/debs" "$suite" \
        "$root" "$from" "$script" >"$log" 2>&1 ||
        cannot "$suite: debootstrap made no system ($log)"
    cp /etc/resolv.conf "$root/etc/" 2>/dev/null
    # Certificates that this system trusts in addition, for a proxy between it and PyPI.
    cp -r /usr/local/share/ca-certificates "$root/usr/local/share/" 2>/dev/null
    # A stable suite gets newer compilers as security updates. The lists of the other
    # suites are valid for a week, and a mirror's copy may be older.
    case $suite:$compiler in
    bookworm:*-* | trixie:*-*)
        echo "deb $(mirror Debian-Security) $suite-security main" \
            >>"$root/etc/apt/sources.list"
        ;;
    *:*-*) echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/old" ;;
    esac
    mkdir -p "$root${clone%/*}"
    git clone -q --no-hardlinks . "$root$clone" || exit 1
    [ "$who" = root ] || chroot "$root" useradd -M -U reader || exit 1
    [ "$who" = root ] || chroot "$root" chown -R reader:reader /home/reader
    as root 'apt-get -o APT::Update::Error-Mode=any update -q' ||
        cannot "$suite: apt-get cannot reach the mirror ($log)"
    if [ "$packages" ] && not as root "apt-get install --simulate $packages"; then
        echo "  left out: $each: the mirror has no $packages"
    elif reader; then
        echo "  ok      $each"
        count 0
    else
        tail -n 25 "$log" | sed 's/^/  | /'
        count 1 "$each: the last command in $log failed"
    fi
    rm -rf --one-file-system "$root"
done
finish "run the last command of that log on the same system"
