#!/bin/sh
# tools/classroom/grade.sh MADE DIR OUT: grades a class. DIR has a folder for each
# student, with any of the exercises' files, NAME.c; OUT gets a line for each
# student and exercise, and OUT's folder .d/ what each is to read. A run that
# was stopped goes on where it was: what has not changed is not graded again.
#
# Environment: FORMAT (csv; of the others, DIR is one student's folder), CHAPTER
# (03; all if empty), JOBS, VARIANT, NO_BWRAP.
set -u
export LC_ALL=C

made=$1
dir=$2
case ${FORMAT:=csv} in
csv) out=${3:-grades.csv} ;;
gradescope) out=${3:-results.json} ;;
classroom50) out=${3:-result.json} ;;
junit) out=${3:-junit.xml} ;;
*)
    echo "FORMAT=$FORMAT: csv, gradescope, classroom50 or junit" >&2
    exit 2
    ;;
esac
for name in CLASSROOM ASSIGNMENT SUBMISSION_TAG COMMIT_URL RELEASE_URL; do
    [ "$FORMAT" != classroom50 ] || printenv "$name" >/dev/null || {
        echo "FORMAT=classroom50: the environment has no $name" >&2
        exit 2
    }
done
[ "$dir" ] || {
    echo "make grade: which class? DIR=submissions (one file: make grade-NN" \
        "FILE=my.c)" >&2
    exit 2
}
[ -d "$dir" ] || { echo "DIR=$dir: no such folder" >&2; exit 2; }
told=${out%.*}.d
mkdir -p "$told" || exit 2
exercises=$(cd "$made/judges" && printf '%s\n' "${CHAPTER:-}"*.claims |
    sed -n 's/\.claims$//p')
[ "$exercises" != "${CHAPTER:-}*" ] || { echo "CHAPTER=$CHAPTER: has no exercise" >&2; exit 2; }
: "${JOBS:=$(getconf _NPROCESSORS_ONLN)}"
if [ -n "${NO_BWRAP:-}" ] || ! command -v bwrap >/dev/null ||
    ! "$made/cage" 300000 5 500 bwrap --unshare-all --ro-bind / / true \
        2>/dev/null; then
    if [ "$(id -u)" -eq 0 ]; then
        echo "No bwrap that works: a submission runs as a user of its own, but can read" \
            "what all can read, and use the network." >&2
    else
        echo "No bwrap that works, and not root: a submission can do what you can." \
            "Install bubblewrap before grading strangers' files." >&2
    fi
fi

# A name may hold anything: it is a file's name only as a digest.
part_of() {
    student=${1%/}
    student=${student##*/}
    part=$told/$(printf %s "$student" | sha256sum | cut -c1-24).$2
}
bar() {
    [ ! -t 2 ] || printf '\r  [%-40s] %d of %d ' "$(printf "%*s" \
        $((40 * $1 / $2)) '' | tr ' ' '#')" "$1" "$2" >&2
}

# grade_student FOLDER SLOT: told/STUDENT.EXERCISE, whole or not at all.
grade_student() {
    for id in $exercises; do
        part_of "$1" "$id"
        name=${id#*_}
        file=
        for place in "$1$name" "$1${id%%_*}/$name" "$1work/${id%%_*}/$name"; do
            for one in "$place.c" "$place.cu"; do
                [ "$file" ] || { [ ! -e "$one" ] && [ ! -L "$one" ]; } ||
                    file=$one
            done
        done
        [ "$file" ] || { rm -f "$part"; continue; }
        key="$(cksum <"$made/judges/$id") ${VARIANT:-0}"
        [ ! -f "$file" ] || key="$key $(cksum <"$file")"
        [ -f "$part" ] && [ "$(sed 1q "$part")" = "$key" ] && continue
        {
            echo "$key"
            sh tools/grade/one.sh "$made" "$id" "$file" "$2"
        } >"$part.new$$" && mv "$part.new$$" "$part"
    done
}

if [ "$FORMAT" = csv ]; then set -- "$dir"/*/; else set -- "$dir/"; fi
[ -d "$1" ] || { echo "DIR=$dir: has no student's folder" >&2; exit 2; }
# A run that was stopped may still have a grade at work: not into our files.
rm -f "$told"/*.new*
graders=
slot=0
# shellcheck disable=SC2086 # several
trap 'kill $graders 2>/dev/null; exit 130' INT TERM
while [ "$slot" -lt "$JOBS" ]; do
    (
        n=0
        for folder; do
            n=$((n + 1))
            [ $((n % JOBS)) -eq "$slot" ] || continue
            grade_student "$folder" "$slot"
            bar "$n" $#
        done
    ) &
    graders="$graders $!"
    slot=$((slot + 1))
done
wait
[ ! -t 2 ] || echo >&2

{
    for folder; do
        for id in $exercises; do
            part_of "$folder" "$id"
            [ -f "$part" ] || part=/dev/null
            STUDENT=$student POINTS=$(cat "$made/judges/$id.points") \
                awk -v format="$FORMAT" -v id="$id" \
                -f tools/classroom/report.awk "$part"
        done
    done
} >"$told/rows"
awk -v format="$FORMAT" -v now="$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
    -f tools/classroom/report.awk whole=1 "$told/rows" >"$out.part" &&
    mv "$out.part" "$out" && rm "$told/rows" && echo "next: open $out"
