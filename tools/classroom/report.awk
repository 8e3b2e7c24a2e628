# tools/classroom/report.awk: one student's graded exercises, each a file of
# grade.sh (a key, POINTS OF VERDICT, text), as what a course's server reads:
#   gradescope   results.json of an autograder
#   classroom50  result.json, schema classroom50/result/v1; points are whole
#   junit        as Jenkins reads it: a test case an exercise
# or as a row of a table (csv); and a row for each exercise in the file DETAILS.
function json(s) {
    gsub(/[\\"]/, "\\\\&", s)
    gsub(/\t/, "\\t", s)
    gsub(/\n/, "\\n", s)
    return "\"" s "\""
}
function xml(s) {
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    gsub(/>/, "\\&gt;", s)
    return s
}

FNR == 1 {
    id[++n] = FILENAME
    sub(/.*\./, "", id[n])
}
FNR == 2 {
    points[n] = format == "classroom50" ? int($1) : $1
    of[n] = $2
    sub(/^[^ ]+ [^ ]+ /, "")
    verdict[n] = text[n] = $0
    score += points[n]
    all += of[n]
    bad += verdict[n] != "passed"
    handed_in += verdict[n] != "not handed in"
}
# Only what all of these can read: no byte of another alphabet's.
FNR > 2 {
    gsub(/[^\t -~]/, "?")
    text[n] = text[n] "\n" $0
}

# The first of these environment variables that says something.
function said(names,    name, k, count) {
    count = split(names, name, " ")
    for (k = 1; k < count && ENVIRON[name[k]] == ""; k++)
        ;
    return json(ENVIRON[name[k]])
}

END {
    if (format == "junit")
        printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" \
            "<testsuite name=\"flashattention\" tests=\"%d\" failures=\"%d\"" \
            " errors=\"0\">\n", n, bad
    if (format == "gradescope")
        printf "{\"score\": %.1f, \"visibility\": \"visible\", \"tests\": [",
            score
    if (format == "classroom50") {
        fields = split("classroom CLASSROOM|assignment ASSIGNMENT|" \
            "assignment_type ASSIGNMENT_TYPE|owner OWNER USERNAME STUDENT|" \
            "submission SUBMISSION_TAG|commit COMMIT_URL|release RELEASE_URL|" \
            "review REVIEW_URL COMMIT_URL|datetime NOW|graded_at NOW",
            field, "|")
        print "{\"schema\": \"classroom50/result/v1\","
        for (k = 1; k <= fields; k++) {
            name = field[k]
            sub(/ .*/, "", name)
            print json(name) ": " said(substr(field[k], length(name) + 2)) ","
        }
        printf "\"score\": %d, \"max-score\": %d, \"tests\": [", score, all
    }
    student = ENVIRON["STUDENT"]
    gsub(/"/, "\"\"", student)
    for (k = 1; k <= n; k++) {
        chapter = substr(id[k], 1, 2)
        name = substr(id[k], 4)
        good = verdict[k] == "passed"
        comma = k > 1 ? "," : ""
        printf "\"%s\",%s,%s,%s,%s,%s\n", student, chapter, name, points[k],
            of[k], verdict[k] >> ENVIRON["DETAILS"]
        if (format == "csv")
            continue
        if (format == "junit")
            printf "<testcase classname=\"%s\" name=\"%s\">%s</testcase>\n",
                chapter, name, good ? "" : "<failure type=\"" verdict[k] \
                "\">" xml(text[k]) "</failure>"
        else if (format == "gradescope")
            printf "%s\n{\"name\": \"%s\", \"score\": %.1f, \"max_score\": " \
                "%d, \"status\": \"%s\", \"output\": %s, \"output_format\": " \
                "\"text\", \"visibility\": \"visible\"}", comma, id[k],
                points[k], of[k], good ? "passed" : "failed", json(text[k])
        else
            printf "%s\n{\"test-name\": \"%s\", \"passed\": %s, \"score\": " \
                "%d, \"max-score\": %d, \"output\": %s}", comma, id[k],
                good ? "true" : "false", points[k], of[k], json(text[k])
    }
    if (format == "csv")
        printf "\"%s\",%.1f,%d,%d,%d,%d\n", student, score, all, n - bad,
            handed_in, n
    else
        print format == "junit" ? "</testsuite>\n</testsuites>" : "\n]}"
}
