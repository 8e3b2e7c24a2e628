# tools/classroom/report.awk: writes what was graded as csv, or as JSON or XML that
# a course's server reads. First for one student and exercise (id; the file is
# what grade_student keeps; STUDENT, POINTS), then whole=1 for all of those.
#   gradescope   results.json of an autograder
#   classroom50  result.json, schema classroom50/result/v1; points are whole
#   junit        as Jenkins reads it: a test case an exercise
function quoted(s) { gsub(/"/, "\"\"", s); return "\"" s "\"" }
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
    gsub(/"/, "\\&quot;", s)
    gsub(/\n/, "\\&#10;", s) # a row is a line
    return s
}
function set(name, value) { return json(name) ": " json(value) }

BEGIN { verdict = "not handed in"; of = ENVIRON["POINTS"] + 0 }

whole && FNR == NR { row[++rows] = $0 }
whole && format != "csv" && $1 == "#" { points += $2; all += $3; bad += $4 != "passed"; rows-- }
whole { next }
FNR == 2 {
    points = of * $1 / $2
    verdict = $0
    sub(/^[0-9]+ [0-9]+ /, "", verdict)
}
# Only what all of these can read: no byte of another alphabet's.
FNR > 2 { gsub(/[^\t -~]/, "?"); text = text $0 "\n" }

END {
    good = verdict == "passed"
    if (whole)
        finish()
    else if (format == "csv")
        printf "%s,%s,%s,%.1f,%d,%s\n", quoted(ENVIRON["STUDENT"]),
            substr(id, 1, 2), substr(id, 4), points, of, verdict
    else if (format == "junit")
        printf "# 0 1 %s\n    <testcase classname=\"%s\" name=\"%s\">%s" \
            "</testcase>\n", verdict, substr(id, 1, 2), substr(id, 4), good ? \
            "" : "<failure type=\"" verdict "\">" xml(text) "</failure>"
    else if (format == "gradescope")
        printf "# %s %d %s\n    {%s, \"score\": %.1f, \"max_score\": %d, %s," \
            " %s, %s, %s}\n", points, of, verdict, set("name", id), points, of,
            set("status", good ? "passed" : "failed"),
            set("output", verdict "\n" text), set("output_format", "text"),
            set("visibility", "visible")
    else
        printf "# %d %d %s\n    {%s, \"passed\": %s, \"score\": %d," \
            " \"max-score\": %d, %s}\n", points, of, verdict,
            set("test-name", id), good ? "true" : "false", points, of,
            set("output", verdict "\n" text)
}

function finish(    k, comma) {
    if (format == "csv")
        print "student,chapter,exercise,points,of,verdict"
    else if (format == "junit")
        printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" \
            "  <testsuite name=\"flashattention\" tests=\"%d\"" \
            " failures=\"%d\">\n", rows, bad
    else if (format == "gradescope")
        printf "{\"score\": %.1f, %s, \"tests\": [\n", points,
            set("visibility", "visible")
    else {
        print "{" set("schema", "classroom50/result/v1") ","
        print set("classroom", ENVIRON["CLASSROOM"]) ","
        print set("assignment", ENVIRON["ASSIGNMENT"]) ","
        print set("submission", ENVIRON["SUBMISSION_TAG"]) ","
        print set("commit", ENVIRON["COMMIT_URL"]) ","
        print set("release", ENVIRON["RELEASE_URL"]) ","
        print set("review", ENVIRON["REVIEW_URL"] ? ENVIRON["REVIEW_URL"] : \
            ENVIRON["COMMIT_URL"]) ","
        print set("datetime", now) ","
        printf "\"score\": %d, \"max-score\": %d, \"tests\": [\n", points, all
    }
    comma = format ~ /gradescope|classroom50/ ? "," : ""
    for (k = 1; k <= rows; k++)
        print row[k] (k < rows ? comma : "")
    if (format == "junit")
        print "  </testsuite>\n</testsuites>"
    else if (format != "csv")
        print "]}"
}
