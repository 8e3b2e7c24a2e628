# awk -f tools/count_steps.awk tools/steps.txt: how many of the steps are one
# change, and how many take a new shape, for README.
/^0/ { steps++; rules[$3]++ }
END {
    printf "- Of %d steps %d change at most 15 lines of algorithm, checked " \
        "(`make diff-05`);\n  %d are the same loop for another subject or " \
        "another machine, and %d take a new\n  shape, and their diffs say " \
        "so. Algorithm leaves out declarations, first\n  values, loads and " \
        "stores.\n", steps, rules["one"] + rules["calls"], rules["anchors"],
        rules["exempt"]
}
