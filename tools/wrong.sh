#!/bin/sh
# tools/wrong.sh CHAPTER EXERCISE [NAME]: prints the solution with the typical mistake
# NAME, like a student's wrong file. Without NAME it prints a line for each mistake: the
# name, what is wrong, and the message that the student reads. CONTRIBUTING.md describes
# the format of mistakes.diff. A piece changes the first lines of the solution that follow
# the piece before and equal this piece's lines without +.
set -u
export LC_ALL=C
. tools/exercise_lib.sh

find_exercise "$1" "$2" || exit 2
if [ -z "${3-}" ]; then
    mistakes_of "$exercise" |
        sed -n '/^[A-Za-z]/{N;N;s/\n# says: /\t/;s/\n# /\t/p;}'
    exit
fi
mistakes_of "$exercise" | grep -qxF -e "$3" || {
    echo "N=$(printable "$3"): no such mistake of $name; allowed: $(
        mistakes_of "$exercise" | sed -n '/^[A-Za-z]/p' | paste -sd ' ' -)" >&2
    exit 2
}
mistakes_of "$exercise" | WANT=$3 awk '
    function is_at(at,    k) {
        for (k = 0; k < olds; k++)
            if (line[at + k] != old[k])
                return 0
        return 1
    }
    # Copies the lines before the piece, and then the new lines of the piece.
    function change(    at, k) {
        for (at = next_line; !is_at(at); at++)
            if (at + olds > lines) {
                print ENVIRON["WANT"] ": a piece is not in the" \
                    " solution; it begins with: " old[0] >"/dev/stderr"
                exit failed = 1
            }
        while (next_line < at)
            text = text line[next_line++] "\n"
        for (k = 0; k < news; k++)
            text = text new[k] "\n"
        next_line += olds
        olds = news = empty = 0
    }

    # Reads the solution, without its first comment.
    FNR == NR && !begun { begun = / \*\/$/; next }
    FNR == NR { line[lines++] = $0; next }

    /^[A-Za-z]/ { inside = $0 == ENVIRON["WANT"]; next }
    !inside { next }
    sub(/^# says: /, "") { text = text "/* message: " $0 " */\n"; next }
    sub(/^# /, "") { text = "/* wrong: " $0 " */\n"; next }
    /^@@$/ { change(); next }
    /^$/ { empty++; next } # belongs to the piece only if more lines follow
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
