# tools/mistakes.awk: a sanitizer says sixty lines about a mistake, of which a
# student needs two: where in the student's file it was and what happened there,
# and that line of the file. All that is no such report passes as it is.
# The text may be hostile: a line counts up to 1,000 characters, and of a hundred
# reports at most is said what they mean.
#
#   awk -v file=NAME -v text=PATH -f tools/mistakes.awk LOG
#
# NAME is what the compiler was told that the file is called, PATH where it is.

# The number of the student's line that s names, or "".
function line_in(s,    at) {
    at = index(s, file ":")
    if (!at || (at > 1 && substr(s, at - 1, 1) !~ /[ \/'(]/))
        return ""
    s = substr(s, at + length(file) + 1)
    return match(s, /^[0-9]+/) ? substr(s, 1, RLENGTH) : ""
}

# One place of those that called one another: the first that is the student's
# counts, or if there is none the first of which the line is known.
function frame(s) {
    if (line == "")
        line = line_in(s)
    if (elsewhere == "" && match(s, /[^ ]+:[0-9]+(:[0-9]+)?:?$/)) {
        elsewhere = substr(s, RSTART)
        if (index(elsewhere, ENVIRON["PWD"] "/") == 1)
            elsewhere = substr(elsewhere, length(ENVIRON["PWD"]) + 2)
        sub(/:$/, "", elsewhere)
    }
}

function in_words() {
    if (kind ~ /^(heap|stack|global|dynamic-stack)-buffer/)
        return access " " side " an array"
    if (kind ~ /^SEGV|^BUS/)
        return access " memory that is not there: by a null pointer, or far" \
            " outside of an array"
    if (kind ~ /^heap-use-after-free/)
        return access " memory that was given to free"
    if (kind ~ /^stack-use-after/)
        return access " a variable that is gone"
    if (kind ~ /^stack-overflow/)
        return "the stack is full: of a function that calls itself without" \
            " end, or of a large array"
    return kind
}

function tell(    s) {
    if (kind != "")
        what = in_words()
    if (what != "" && ++reports <= 100) {
        print (line != "" ? file ":" line : elsewhere) ": " what
        s = substr(source[line + 0], 1, 1000)
        sub(/^[ \t]+/, "", s)
        if (s != "")
            print "    " substr(s, 1, 72)
    }
    kind = what = line = elsewhere = ""
    access = "reads or writes"
    side = "outside of"
}

BEGIN {
    while ((getline source[++lines] < text) > 0)
        ;
    tell()
}
{ $0 = substr($0, 1, 1000) }

/: runtime error: / {
    tell()
    frame($1)
    what = $0
    sub(/.*: runtime error: /, "", what)
    if (what ~ /insufficient space/)
        what = (what ~ /^store/ ? "writes" : "reads") " beyond the end of" \
            " an array"
    next
}
/ERROR: AddressSanitizer: / {
    tell()
    kind = $0
    sub(/.*ERROR: AddressSanitizer: (attempting )?/, "", kind)
    sub(/(:| on| of) .*/, "", kind)
    where = 1
    next
}
/^AddressSanitizer:DEADLYSIGNAL$|^=================+$|^SUMMARY: / { next }
kind == "" && what == "" { print; next }

# The rest of a report. Its first part, up to an empty line, says where it was;
# others where the memory came from.
/ABORTING$/ || what != "" && /^$/ { tell(); next }
/^ +#[0-9]/ && (where || what != "") { frame($0) }
/^$/ { where = 0 }
/^READ of size|caused by a READ/ { access = "reads" }
/^WRITE of size|caused by a WRITE/ { access = "writes" }
/is located .* (right of|after|inside) |<== .* overflows/ {
    side = "beyond the end of"
}
/is located .* (left of|before) |<== .* underflows/ {
    side = "before the beginning of"
}
END { tell() }
