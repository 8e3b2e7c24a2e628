#!/bin/sh
# tools/grade/one.sh MADE ID FILE: grades one file by the judge of the exercise
# ID (MADE: what kit.sh made). Prints a line
#     POINTS OF VERDICT
# and then what the student reads. The file is hostile until proven otherwise:
# it is compiled and run in a cage, and in a sandbox where bwrap is. Without ID
# and FILE: exits 0 where it is.
set -u
# shellcheck source=tools/environment.sh
. tools/environment.sh
umask 077

made=$1
id=${2:-}
file=${3:-}
judge=$made/judges/$id
# A number that no other user, and no other run, has; a container may have few.
uid=$((300000 + $$))
awk '{ n += $3 } END { exit n < 5000000 }' /proc/self/uid_map ||
    uid=$((20000 + $$ % 40000))
root() { [ "$(id -u)" -eq 0 ]; }

room=$(mktemp -d "${TMPDIR:-/tmp}/grade.XXXXXX") || exit 2
case $room in
*[!a-zA-Z0-9/._-]*) rmdir "$room" && echo "TMPDIR=$TMPDIR: a plain name" >&2; exit 2 ;;
esac
boxed=yes
joins=/dev/null
clean() {
    rm -rf "$room"
    [ $joins = /dev/null ] || rmdir "${joins%/*}"
    [ $boxed = yes ] || ! root || find /tmp /var/tmp /dev/shm -xdev \
        -user "$uid" -prune -exec rm -rf {} + 2>/dev/null
}
trap clean EXIT
trap 'exit 2' HUP INT TERM PIPE
mkdir -m 777 "$room/work"
cp -R "$made/kit" "$room/kit"
# Nobody but that user comes by.
! root || chgrp "$uid" "$room"
chmod 710 "$room"
chmod -R a+rX "$room/kit"
own() { ! root || chown -hR "$1:$uid" "$room/work"; }
plain() { tr -d '\000-\010\013-\037'; }

# A group of processes whose memory the kernel limits, of version 2 or 1, where
# this root may make one; elsewhere the cage looks. A user's limit of processes
# counts all that the user has: it is 64 more than there are.
become="setpriv --no-new-privs --pdeathsig KILL"
processes=$((64 + $(sed 's/.*\///; s/ .*//' /proc/loadavg)))
if root; then
    become="$become --reuid $uid --regid $uid --clear-groups"
    processes=64
    for at in /sys/fs/cgroup /sys/fs/cgroup/memory; do
        [ -f $at/cgroup.procs ] && mkdir "$at/cage.$$" 2>/dev/null &&
            joins=$at/cage.$$/cgroup.procs
    done
fi

# hostile SECONDS MEGABYTES BIND: the shell's command before one that is not
# trusted. With --bind it may write to ./
hostile() {
    for most in "${joins%/*}/memory.max" "${joins%/*}/memory.limit_in_bytes"; do
        [ ! -f "$most" ] || echo "${2}M" >"$most"
    done
    printf '%s ' "exec $made/cage $uid $1 $2 $boxed sh -c" \
        "'echo 0 >$joins; exec \"\$@\"' sh prlimit --core=0 --cpu=$1" \
        "--fsize=67108864 --nofile=64 --nproc=$processes $become"
    if [ $boxed = yes ]; then
        echo "bwrap --unshare-all --cap-drop ALL --new-session" \
            "--die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin" \
            "--symlink usr/lib /lib --symlink usr/lib64 /lib64" \
            "--ro-bind-try /etc/alternatives /etc/alternatives --proc /proc" \
            "--dev /dev --size 67108864 --tmpfs /tmp" \
            "--ro-bind $room/kit $room/kit $3 $room/work $room/work" \
            "--remount-ro /dev --remount-ro / --clearenv" \
            "--setenv PATH /usr/local/bin:/usr/bin:/bin --chdir $room/work $few"
    else
        echo "env -i -C $room/work PATH=/usr/local/bin:/usr/bin:/bin"
    fi
}

# Is there a bwrap, and does this machine let it make namespaces? A newer one
# makes them the last, and newer kernels count processes in each.
many="prlimit --nproc=64"
for few in "--unshare-user --disable-userns $many" "$many" ""; do
    boxed=yes
    [ -z "${NO_BWRAP:-}" ] && command -v bwrap >/dev/null && sh -c \
        "$(hostile 5 500 --bind) sh -c '(:) && :'" >"$room/built" 2>&1 && break
    boxed=no
done
[ "$id" ] || { [ $boxed = yes ]; exit; }
# Without, permissions alone keep secret what is here, the solutions too.
[ $boxed = yes ] || ! root || chmod go-rwx .

of=$(cat "$judge.points")
# say VERDICT TEXT: without the tests.
say() {
    printf '0.0 %s %s\n%s\n' "$of" "$1" "$2"
    exit 0
}
if [ ! -f "$file" ] || [ -L "$file" ]; then
    say "no file" "This is a link, or no regular file: hand in the file itself."
fi
[ "$(wc -c <"$file")" -le 200000 ] || say "no file" "It is over 200 kB."
cat <"$file" >"$room/work/submission"
own "$uid"
sh -c "$(hostile 20 1500 --bind) sh $room/kit/build.sh $room/kit $id" \
    </dev/null >"$room/built" 2>&1
if [ ! -f "$room/work/worker" ] || [ -L "$room/work/worker" ]; then
    say "does not compile" "$(head -c 2000 "$room/built" | plain)"
fi
own 0
chmod -R u=rwX,g=rX "$room/work"

# A limit on addresses would keep sanitizers from starting, so the cage looks at
# the memory that is held.
# shellcheck disable=SC2086,SC2116 # several words, in one line
GRADE_WORKER="$(hostile 30 600 --ro-bind) env $(echo $careful) \
    $room/work/worker </dev/null >>$room/said 2>&1"
# Which tests passed is read from the judge's standard output, where nothing
# that the worker says can come.
cleanly GRADE_WORKER="$GRADE_WORKER" GRADE_SECONDS="${GRADE_SECONDS:-5}" \
    timeout 120 "$judge" >"$room/passed" 2>"$room/why" </dev/null

# Points are for what the judge has seen, beyond what the skeleton holds; to
# have passed is for all claims.
awk -v of="$of" -v held="$(grep -c . "$judge.held")" '
    FILENAME == ARGV[1] { if (/^\[ *OK \] [^ ]*$/) passed[$NF]; next }
    FILENAME == ARGV[2] { counted[$0]; next }
    {
        told = told ($0 in passed ? "  ok      " : "  FAILED  ") $0 "\n"
        bad += !($0 in passed)
        all += !($0 in counted)
        ok += $0 in passed && !($0 in counted)
    }
    END {
        points = ok > held ? of * (ok - held) / (all - held) : 0
        printf "%.1f %d %s\n%s", points, of, bad ? "failed" : "passed", told
    }' "$room/passed" "$judge.counted" "$judge.claims"
cat "$room/why" "$room/said" 2>/dev/null | plain | head -c 1000000 |
    awk -v file="${id#*_}.c" -v text="$room/work/submission" \
        -f tools/mistakes.awk | sed "s|$room/[a-z/]*/||g" | awk '/^\[|^[= ]*$|FAILED TEST/ || seen[$0]++ { next }
        { print "  " substr($0, 1, 160) } ++n == 40 { exit }'
