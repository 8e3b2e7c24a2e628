# tools/mistakes.awk: shortens each report of a sanitizer to two lines: the place in
# the student's file with what happened there, and that line of the file. Other
# lines are printed unchanged. The text may be hostile: only the first 1,000
# characters of a line and the first 100 reports are read.
#
#   awk -v file=NAME -v text=PATH -f tools/mistakes.awk LOG
#
# NAME is the file's name in the report, PATH where the file is.

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
