# tools/classroom/report.awk: one student's graded exercises, each a file of
# grade.sh (a key, POINTS OF VERDICT, text), as what a course's server reads:
#   gradescope   results.json of an autograder
#   classroom50  result.json, schema classroom50/result/v1; points are whole
#   junit        as Jenkins reads it: a test case an exercise
function json(s) {
    gsub(/\\/, "&&", s)
    gsub(/"/, "\\\"", s)
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
function set(name, value) { return json(name) ": " json(value) }
function told(name, otherwise) {
    return ENVIRON[name] != "" ? ENVIRON[name] : otherwise
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
}
# Only what all of these can read: no byte of another alphabet's.
FNR > 2 {
    gsub(/[^\t -~]/, "?")
    text[n] = text[n] "\n" $0
}

END {
    if (format == "junit")
        printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" \
            "<testsuite name=\"flashattention\" tests=\"%d\" failures=\"%d\"" \
            " errors=\"0\">\n", n, bad
    else if (format == "gradescope")
        printf "{\"score\": %.1f, %s, \"tests\": [\n", score,
            set("visibility", "visible")
    else {
        print "{" set("schema", "classroom50/result/v1") ","
        print set("classroom", told("CLASSROOM")) ","
        print set("assignment", told("ASSIGNMENT")) ","
        print set("assignment_type", told("ASSIGNMENT_TYPE", "individual")) ","
        print set("owner", told("OWNER", told("USERNAME", told("STUDENT")))) ","
        print set("submission", told("SUBMISSION_TAG")) ","
        print set("commit", told("COMMIT_URL")) ","
        print set("release", told("RELEASE_URL")) ","
        print set("review", told("REVIEW_URL", told("COMMIT_URL"))) ","
        print set("datetime", now) "," set("graded_at", now) ","
        printf "\"score\": %d, \"max-score\": %d, \"tests\": [\n", score, all
    }
    for (k = 1; k <= n; k++) {
        good = verdict[k] == "passed"
        if (format == "junit")
            printf "<testcase classname=\"%s\" name=\"%s\">%s</testcase>\n",
                substr(id[k], 1, 2), substr(id[k], 4), good ? "" : "<failure" \
                " type=\"" verdict[k] "\">" xml(text[k]) "</failure>"
        else if (format == "gradescope")
            printf "{%s, \"score\": %.1f, \"max_score\": %d, %s, %s, %s, %s}",
                set("name", id[k]), points[k], of[k],
                set("status", good ? "passed" : "failed"),
                set("output", text[k]), set("output_format", "text"),
                set("visibility", "visible")
        else
            printf "{%s, \"passed\": %s, \"score\": %d, \"max-score\": %d, %s}",
                set("test-name", id[k]), good ? "true" : "false", points[k],
                of[k], set("output", text[k])
        if (format != "junit")
            print k < n ? "," : ""
    }
    print format == "junit" ? "</testsuite>\n</testsuites>" : "]}"
}
