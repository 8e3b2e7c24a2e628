# awk -v command=COMMAND -v file=TIMES [-v record=all|new] -f tools/times.awk
#
# What a command printed, with each time that ends a line replaced by the one
# that TIMES has for the line's first word: so a page does not change with the
# machine that weaves it. The times go into TIMES instead with record=all, and
# those of a new step with record=new.

BEGIN {
    while (record != "all" && (getline line <file) > 0) {
        split(line, field, "\t")
        if (field[1] == command)
            time[field[2]] = field[3]
    }
}

match($0, / +[0-9.]+ (ns|us|ms|s)$/) {
    text = substr($0, RSTART)
    $0 = substr($0, 1, RSTART - 1)
    name = $1
    if (name in time) {
        text = sprintf(" %" RLENGTH - 1 "s", time[name])
    } else if (record) {
        print command "\t" name "\t" substr(text, match(text, /[0-9.]/)) >>file
    } else {
        print file ": has no time of " name " (make docs)" >"/dev/stderr"
        exit 1
    }
    print $0 text
    next
}
{ print }
