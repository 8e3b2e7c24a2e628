#!/bin/sh
# tools/classroom/grade.sh MADE DIR OUT: grades a class. DIR has a folder for
# each student, with any of the exercises' files, NAME.c; OUT gets a line for
# each student, and OUT's folder .d/ a table of all exercises and what each
# student is to read. A file that no exercise asks for is named. A run that was
# stopped goes on where it was: what has not changed is not graded again.
#
# Environment: FORMAT (csv; of the others, DIR is one student's folder), CHAPTER
# (03; all if empty), JOBS, VARIANT, NO_BWRAP.
set -u
# shellcheck source=tools/environment.sh
. tools/environment.sh

stop() {
    echo "$*" >&2
    exit 2
}

made=$1
dir=$2
case ${FORMAT:=csv} in
csv) out=grades.csv ;;
gradescope) out=results.json ;;
classroom50) out=result.json ;;
junit) out=junit.xml ;;
*) stop "FORMAT=$FORMAT: csv, gradescope, classroom50 or junit" ;;
esac
for name in CLASSROOM ASSIGNMENT SUBMISSION_TAG COMMIT_URL RELEASE_URL; do
    [ "$FORMAT" != classroom50 ] || printenv "$name" >/dev/null ||
        stop "FORMAT=classroom50: the environment has no $name"
done
out=${3:-$out}
[ "$dir" ] || stop "make grade: which class? DIR=submissions (one file: make" \
    "grade-NN FILE=my.c)"
[ -d "$dir" ] || stop "DIR=$dir: no such folder"
if [ "$FORMAT" = csv ]; then set -- "$dir"/*/; else set -- "$dir/"; fi
[ -d "$1" ] || stop "DIR=$dir: has no student's folder"
exercises=$(cd "$made/judges" && printf '%s\n' "${CHAPTER:-}"*.claims |
    sed -n 's/\.claims$//p')
[ "$exercises" != "${CHAPTER:-}*" ] || stop "CHAPTER=$CHAPTER: has no exercise"
case $out in /*) ;; *) out=./$out ;; esac
told=${out%.*}.d
# A run that was stopped may still have a grade at work: not into our files.
mkdir -p "$told" && rm -f "$told"/*.new* || exit 2

if ! sh tools/grade/one.sh "$made"; then
    if [ "$(id -u)" -eq 0 ]; then
        echo "No bwrap that works: a submission runs as a user of its own, but" \
            "can read what all can read. Closed to others: $PWD, $dir" >&2
        chmod go-rwx "$dir" "$told"
    else
        echo "No bwrap that works, and not root: a submission can do what you" \
            "can. Install bubblewrap before grading strangers' files." >&2
    fi
fi

# A name may hold anything: what of it is letters or digits, then its digest.
part_of() {
    student=${1%/}
    student=${student##*/}
    part=$told/$(printf %.40s "$student" | tr -c '[:alnum:]' _)_$(
        printf %s "$student" | sha256sum | cut -c1-12).$2
}
# handed_in FOLDER ID: the file, in no folder that is a link to another's.
handed_in() {
    { [ "$FORMAT" != csv ] || [ ! -L "${1%/}" ]; } && (cd "$1" && find . -maxdepth 3 -name "${2#*_}.c*") |
        grep -xE "\./(|work/)(${2%%_*}/)?${2#*_}\.cu?" |
        awk '!file || length() < length(file) { file = $0 } END { print file }'
}

# nobodys FOLDER: the files there that no exercise asks for, the first five. Of
# a handout that is what its work/ holds.
asked=$(printf '%s\n' 0[1-7]_*/exercise/*/ |
    sed 's|^\(..\)_.*/\(.*\)/$|\\./(work/)?(\1/)?\2\\.cu?|')
nobodys() (
    { [ "$FORMAT" != csv ] || [ ! -L "${1%/}" ]; } && cd "$1" || exit
    [ ! -f tools/exercise.sh ] || cd work 2>/dev/null || exit
    find . -name '.?*' -prune -o ! -type d ! -name '*.hints' -print |
        grep -vxE "$asked" | sort | tr -c '\n -~' '?' |
        awk 'NR <= 5 { print substr($0, 3) }
            END { if (NR > 5) print "and " NR - 5 " more" }'
)

# grade_student FOLDER: told/STUDENT.EXERCISE, whole or not at all; and
# told/STUDENT.not_graded, if there is such a file.
grade_student() {
    part_of "$1" not_graded
    left=$(nobodys "$1")
    rm -f "$part"
    [ -z "$left" ] || echo "$left" >"$part"
    for id in $exercises; do
        part_of "$1" "$id"
        file=$(handed_in "$1" "$id")
        key="$(cksum <"$made/judges/$id") ${VARIANT:-0} $file"
        [ ! -f "$1$file" ] || key="$key $(cksum <"$1$file")"
        [ "$file" ] || key="$key $(echo "$left" | cksum)"
        [ -f "$part" ] && [ "$(sed 1q "$part")" = "$key" ] && continue
        {
            echo "$key"
            if [ "$file" ]; then
                sh tools/grade/one.sh "$made" "$id" "$1$file"
            else
                echo "0.0 $(cat "$made/judges/$id.points") not handed in"
                [ -z "$left" ] ||
                    printf '%s\n' "No exercise has the name of:" "$left"
            fi
        } >"$part.new$$" && mv "$part.new$$" "$part"
    done
}

: "${JOBS:=$(getconf _NPROCESSORS_ONLN)}"
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
            grade_student "$folder"
            [ ! -t 2 ] || printf '\r  [%-40s] %d of %d ' "$(printf "%*s" \
                $((40 * n / $#)) '' | tr ' ' '#')" "$n" $# >&2
        done
    ) &
    graders="$graders $!"
    slot=$((slot + 1))
done
wait
[ ! -t 2 ] || echo >&2

for folder; do
    part_of "$folder" not_graded
    [ ! -f "$part" ] || while read -r file; do
        printf '%s: %s: not graded, since no exercise has that name\n' \
            "$(printf %s "$student" | tr -c ' -~' '?')" "$file"
    done <"$part"
done

details=$told/exercises.csv
echo "student,chapter,exercise,points,of,verdict" >"$details.new"
{
    [ "$FORMAT" != csv ] || echo "student,points,of,passed,handed in,exercises"
    for folder; do
        part_of "$folder" ''
        set --
        for id in $exercises; do
            set -- "$@" "$part$id"
        done
        STUDENT=$student NOW=$(date -u +%Y-%m-%dT%H:%M:%SZ) \
            ASSIGNMENT_TYPE=${ASSIGNMENT_TYPE:-individual} \
            DETAILS=$details.new awk -v format="$FORMAT" \
            -f tools/classroom/report.awk "$@"
    done
} >"$out.part" && mv "$details.new" "$details" && mv "$out.part" "$out" || exit
echo "next: open $out"
