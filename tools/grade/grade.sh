#!/bin/sh
# tools/grade/grade.sh MADE DIR CSV: grades a class. DIR has a folder for each
# student, with any of the exercises' files, NAME.c; CSV gets a line for each
# student and exercise, and CSV's folder .d/ what each is to read. A run that
# was stopped goes on where it was: what has not changed is not graded again.
#
# Environment: EXERCISES (ids, NN_NAME; all if empty), JOBS, VARIANT, NO_BWRAP.
set -u
export LC_ALL=C

made=$1
dir=$2
csv=$3
[ "$dir" ] || {
    echo "make grade: which class? DIR=submissions (one file: make grade-NN" \
        "FILE=my.c)" >&2
    exit 2
}
[ -d "$dir" ] || { echo "DIR=$dir: no such folder" >&2; exit 2; }
told=${csv%.csv}.d
mkdir -p "$told" || exit 2
: "${EXERCISES:=$(cd "$made/judges" && printf '%s\n' *.claims |
    sed 's/\.claims$//')}"
: "${JOBS:=$(getconf _NPROCESSORS_ONLN)}"
if ! command -v bwrap >/dev/null || [ -n "${NO_BWRAP:-}" ]; then
    if [ "$(id -u)" -eq 0 ]; then
        echo "No bwrap: a submission runs as a user of its own, but can read" \
            "what all can read, and use the network." >&2
    else
        echo "No bwrap, and not root: a submission can do what you can." \
            "Install bubblewrap before grading strangers' files." >&2
    fi
fi

# A name may hold anything: it is a file's name only as a digest.
digest() { printf %s "$1" | sha256sum | cut -c1-24; }
quoted() { printf '"'; printf %s "$1" | sed 's/"/""/g'; printf '"'; }

# grade_student FOLDER SLOT: told/STUDENT.EXERCISE, whole or not at all.
grade_student() {
    student=${1%/}
    student=${student##*/}
    for id in $EXERCISES; do
        number=${id%%_*}
        name=${id#*_}
        file=$1$name.c
        [ -e "$file" ] || [ -L "$file" ] || file=$1$number/$name.c
        part=$told/$(digest "$student").$id
        [ -e "$file" ] || [ -L "$file" ] || {
            rm -f "$part"
            continue
        }
        key="$(cksum <"$made/judges/$id") ${VARIANT:-0}"
        [ ! -f "$file" ] || key="$key $(cksum <"$file")"
        [ -f "$part" ] && [ "$(sed 1q "$part")" = "$key" ] && continue
        {
            echo "$key"
            sh tools/grade/one.sh "$made" "$id" "$file" "$2"
        } >"$part.new$$" && mv "$part.new$$" "$part"
    done
}

total=0
for folder in "$dir"/*/; do
    [ -d "$folder" ] && total=$((total + 1))
done
slot=0
# A run that was stopped may still have a grade at work: not into our files.
rm -f "$told"/*.new*
graders=
# shellcheck disable=SC2086 # several
trap 'kill $graders 2>/dev/null; exit 130' INT TERM
while [ "$slot" -lt "$JOBS" ]; do
    (
        n=0
        for folder in "$dir"/*/; do
            n=$((n + 1))
            [ -d "$folder" ] || continue
            [ $((n % JOBS)) -eq "$slot" ] || continue
            grade_student "$folder" "$slot"
            [ ! -t 2 ] || printf '\r  %d of %d students ' "$n" "$total" >&2
        done
    ) &
    graders="$graders $!"
    slot=$((slot + 1))
done
wait
[ ! -t 2 ] || echo >&2

{
    echo "student,chapter,exercise,points,of,verdict"
    for folder in "$dir"/*/; do
        [ -d "$folder" ] || continue
        student=${folder%/}
        student=${student##*/}
        for id in $EXERCISES; do
            part=$told/$(digest "$student").$id
            verdict="0 1 not handed in"
            [ ! -f "$part" ] || verdict=$(sed -n 2p "$part")
            quoted "$student"
            # shellcheck disable=SC2086 # PASSED TESTS VERDICT
            echo "$verdict" | awk -v id="$id" '{
                of = 10; points = $2 ? of * $1 / $2 : 0
                sub(/^[0-9]+ [0-9]+ /, "")
                printf ",%s,%s,%.1f,%d,%s\n", substr(id, 1, 2),
                    substr(id, 4), points, of, $0
            }'
        done
    done
} >"$csv.part" && mv "$csv.part" "$csv"
