# tools/mistakes.awk: shortens each report of a sanitizer to a line "PLACE: ERROR" and
# the source line. The place is in the student's file, if a frame of the report is. Prints
# all other lines. LOG may be hostile, so the script reads only the first 1,000
# characters of a line, and prints only the first 100 reports.
#
#   awk -v file=NAME -v text=PATH -f tools/mistakes.awk LOG
#
# NAME is the name of the student's file in the report; PATH is the path of that file.

# Returns the line number after "NAME:" in s, or "".
function line_in(s,    at) {
    at = index(s, file ":")
    if (!at || (at > 1 && substr(s, at - 1, 1) !~ /[ \/'(]/))
        return ""
    s = substr(s, at + length(file) + 1)
    return match(s, /^[0-9]+/) ? substr(s, 1, RLENGTH) : ""
}

# `line` is the line of the first frame in the student's file.
function frame(s) {
    if (line == "")
        line = line_in(s)
    if (other_place == "" && match(s, /[^ ]+:[0-9]+(:[0-9]+)?:?$/)) {
        other_place = substr(s, RSTART)
        if (index(other_place, ENVIRON["PWD"] "/") == 1)
            other_place = substr(other_place, length(ENVIRON["PWD"]) + 2)
        sub(/:$/, "", other_place)
    }
}

function description() {
    if (kind ~ /^(heap|stack|global|dynamic-stack)-buffer/)
        return access " " side " an array"
    if (kind ~ /^SEGV|^BUS/)
        return access " an invalid address: a null pointer, or far outside of" \
            " an array"
    if (kind ~ /^heap-use-after-free/)
        return access " memory after free()"
    if (kind ~ /^stack-use-after/)
        return access " a variable that does not exist any more"
    if (kind ~ /^stack-overflow/)
        return "the stack is full: endless recursion, or a large array"
    return kind
}

function print_report(    s) {
    if (kind != "")
        error = description()
    if (error != "" && ++reports <= 100) {
        print (line != "" ? file ":" line : other_place) ": " error
        s = substr(source[line + 0], 1, 1000)
        sub(/^[ \t]+/, "", s)
        if (s != "")
            print "    " substr(s, 1, 72)
    }
    kind = error = line = other_place = ""
    access = "reads or writes"
    side = "outside of"
}

BEGIN {
    while ((getline source[++lines] < text) > 0)
        ;
    print_report()
}
{ $0 = substr($0, 1, 1000) }

/: runtime error: / {
    print_report()
    frame($1)
    error = $0
    sub(/.*: runtime error: /, "", error)
    if (error ~ /insufficient space/)
        error = (error ~ /^store/ ? "writes" : "reads") " beyond the end of" \
            " an array"
    next
}
/ERROR: AddressSanitizer: / {
    print_report()
    kind = $0
    sub(/.*ERROR: AddressSanitizer: (attempting )?/, "", kind)
    sub(/(:| on| of) .*/, "", kind)
    where = 1
    next
}
/^AddressSanitizer:DEADLYSIGNAL$|^=================+$|^SUMMARY: / { next }
kind == "" && error == "" { print; next }

/ABORTING$/ || error != "" && /^$/ { print_report(); next }
/^ +#[0-9]/ && (where || error != "") { frame($0) }
# After an empty line a report has the place of the allocation.
/^$/ { where = 0 }
/^READ of size|caused by a READ/ { access = "reads" }
/^WRITE of size|caused by a WRITE/ { access = "writes" }
/is located .* (right of|after|inside) |<== .* overflows/ {
    side = "beyond the end of"
}
/is located .* (left of|before) |<== .* underflows/ {
    side = "before the beginning of"
}
END { print_report() }
