#!/bin/sh
# tools/wrong.sh CHAPTER EXERCISE [NAME]: a typical mistake, as the file that a
# student would write; without NAME, a line for each: its name, what is wrong, and
# what the student reads. The chapter's mistakes.diff has of each, below a line
# `== EXERCISE ==`,
#
#     name
#     # what is wrong
#     # says: what the first test that fails must print
#     @@
#     -a line that is not there
#     +a line in its place
#
# and so on, from @@ to @@. A piece changes the first place, after the piece before,
# that has its lines. More lines of the solution, each after a blank, select a later
# place.
set -u
export LC_ALL=C
# shellcheck source=tools/exercise_lib.sh
. tools/exercise_lib.sh

find_exercise "$1" "$2" || exit 2
if [ -z "${3-}" ]; then
    mistakes_of "$exercise" |
        sed -n '/^[A-Za-z]/{N;N;s/\n# says: /\t/;s/\n# /\t/p;}'
    exit
fi
mistakes_of "$exercise" | grep -qxF -e "$3" || {
    echo "N=$(shown "$3"): $name has no such mistake ($(mistakes_of "$exercise" |
        sed -n '/^[A-Za-z]/p' | paste -sd ' ' -))" >&2
    exit 2
}
mistakes_of "$exercise" | WANT=$3 awk '
    function is_at(at,    k) {
        for (k = 0; k < olds; k++)
            if (line[at + k] != old[k])
                return 0
        return 1
    }
    # All lines of the solution up to where the piece is, and then the piece.
    function change(    at, k) {
        for (at = next_line; !is_at(at); at++)
            if (at + olds > lines) {
                print ENVIRON["WANT"] ": the solution has no" \
                    " such lines: " old[0] >"/dev/stderr"
                exit failed = 1
            }
        while (next_line < at)
            text = text line[next_line++] "\n"
        for (k = 0; k < news; k++)
            text = text new[k] "\n"
        next_line += olds
        olds = news = empty = 0
    }

    # The solution, without the comment that it begins with.
    FNR == NR && !begun { begun = / \*\/$/; next }
    FNR == NR { line[lines++] = $0; next }

    /^[A-Za-z]/ { inside = $0 == ENVIRON["WANT"]; next }
    !inside { next }
    sub(/^# says: /, "") { text = text "/* message: " $0 " */\n"; next }
    sub(/^# /, "") { text = "/* wrong: " $0 " */\n"; next }
    /^@@$/ { change(); next }
    /^$/ { empty++; next } # of the piece, if more of it comes
    { for (; empty; empty--) old[olds++] = new[news++] = "" }
    !/^\+/ { old[olds++] = substr($0, 2) }
    !/^-/ { new[news++] = substr($0, 2) }

    END {
        if (!failed)
            change()
        if (failed)
            exit 1
        while (next_line < lines)
            text = text line[next_line++] "\n"
        printf "%s", text
    }' "$exercise/solution/$name.$kind" -
