#!/bin/sh
# tools/grade/one.sh MADE ID FILE: grades one file by the judge of the exercise
# ID (MADE: what kit.sh made). Prints a line
#     POINTS OF VERDICT
# and then what the student reads. The file is hostile until proven otherwise:
# it is compiled and run in a cage, and in a sandbox where bwrap is.
set -u
export LC_ALL=C
umask 077
unset TEST_ONLY

made=$1
id=$2
file=$3
judge=$made/judges/$id
of=$(cat "$judge.points")
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
clean() {
    rm -rf "$room"
    [ $boxed = yes ] || ! root || find /tmp /var/tmp /dev/shm -xdev \
        -user "$uid" -delete 2>/dev/null
}
trap clean EXIT
trap 'exit 2' HUP INT TERM PIPE
mkdir "$room/work"
cp -R "$made/kit" "$room/kit"
# Nobody but that user comes by.
! root || chgrp "$uid" "$room"
chmod 710 "$room"
chmod -R a+rX "$room/kit"
own() { ! root || chown -R "$1:$uid" "$room/work"; }
plain() { tr -d '\000-\010\013-\037'; }

# say VERDICT TEXT: without the tests.
say() {
    printf '0.0 %s %s\n%s\n' "$of" "$1" "$2"
    exit 0
}

[ ! -L "$file" ] || say "no file" "This is a link; hand in the file itself."
[ -f "$file" ] || say "no file" "This is no regular file."
[ "$(wc -c <"$file")" -le 200000 ] || say "no file" "It is over 200 kB."
cat <"$file" >"$room/work/submission"
own "$uid"

# sandbox BIND: the command before a command. --bind: it may write to ./
sandbox() {
    if [ $boxed = yes ]; then
        echo "bwrap --unshare-all --cap-drop ALL --new-session" \
            "--die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin" \
            "--symlink usr/lib /lib --symlink usr/lib64 /lib64" \
            "--ro-bind-try /etc/alternatives /etc/alternatives --proc /proc" \
            "--dev /dev --size 67108864 --tmpfs /tmp" \
            "--ro-bind $room/kit $room/kit $1 $room/work $room/work" \
            "--remount-ro /dev --remount-ro / --clearenv" \
            "--setenv PATH /usr/local/bin:/usr/bin:/bin --chdir $room/work $few"
    else
        echo "env -i -C $room/work PATH=/usr/local/bin:/usr/bin:/bin"
    fi
}

# Is there a bwrap, and does this machine let it make namespaces? Newer kernels
# count processes in each of them.
for few in "prlimit --nproc=64" ""; do
    boxed=yes
    # shellcheck disable=SC2046 # a command, several words
    [ -z "${NO_BWRAP:-}" ] && command -v bwrap >/dev/null &&
        "$made/cage" "$uid" 5 500 $(sandbox --bind) sh -c '(:) && :' \
            >"$room/built" 2>&1 && break
    boxed=no
done
# Then permissions alone keep secret what is here, the solutions too.
[ $boxed = yes ] || ! root || chmod go-rwx .

# shellcheck disable=SC2046 # a command, several words
"$made/cage" "$uid" 20 1500 $(sandbox --bind) sh \
    "$room/kit/build.sh" "$room/kit" "$id" </dev/null >"$room/built" 2>&1
if [ ! -f "$room/work/worker" ] || [ -L "$room/work/worker" ]; then
    say "does not compile" "$(head -c 2000 "$room/built" | plain)"
fi
own 0
chmod -R u=rwX,g=rX "$room/work"

# Sanitizers speak by exit codes of their own; a limit on addresses would keep
# them from starting, so the cage looks at the memory that is held.
asan=detect_leaks=0:exitcode=134:allocator_may_return_null=1
asan=$asan:max_allocation_size_mb=512
GRADE_SAID=$room/said
GRADE_SECONDS=${GRADE_SECONDS:-5}
GRADE_WORKER="exec $made/cage $uid 30 600 \
    $(sandbox --ro-bind) env ASAN_OPTIONS=$asan UBSAN_OPTIONS=exitcode=134 \
    CUDA_ON_CPU=full $room/work/worker"
export GRADE_SAID GRADE_SECONDS GRADE_WORKER
# Which tests passed is read from the judge's standard output, where nothing
# that the worker says can come.
timeout 120 "$judge" >"$room/passed" 2>"$room/why" </dev/null
sed -n 's/^\[ *OK \] \([a-zA-Z0-9_]*\)$/\1/p' "$room/passed" >"$room/ok"

# Points are for what the judge has seen, beyond what the skeleton holds; to
# have passed is for all claims.
verdict=passed
while read -r claim; do
    if grep -qxF "$claim" "$room/ok"; then
        echo "  ok      $claim"
    else
        verdict=failed
        echo "  FAILED  $claim"
    fi
done <"$judge.claims" >"$room/list"
awk -v of="$of" -v held="$(grep -c . "$judge.held")" -v verdict=$verdict '
    FILENAME == ARGV[1] { counted[$0]; next }
    !($2 in counted) { all++; ok += $1 == "ok" }
    END {
        points = ok > held ? of * (ok - held) / (all - held) : 0
        printf "%.1f %d %s\n", points, of, verdict
    }' "$judge.counted" "$room/list"
cat "$room/list"
cat "$room/why" "$room/said" 2>/dev/null | plain | head -c 100000 |
    sed "s|$room/[a-z/]*/||g" | awk '/^\[|^[= ]*$|FAILED TEST/ || seen[$0]++ { next }
        { print "  " substr($0, 1, 160) } ++n == 40 { exit }'
