# awk -f tools/count_steps.awk tools/steps.txt: how many of the steps are one
# change, and how many take a new shape, for README.
/^0/ { steps++; rules[$3]++ }
END {
    one = rules["one"] + rules["calls"]
    if (rules["first"] + one + rules["anchors"] + rules["exempt"] != steps)
        exit 1 # a rule that is not told of
    printf "- Of %d steps %d is the first; %d change at most 15 lines of " \
        "algorithm, checked\n  (`make diff-05`); %d are the same loop for " \
        "another subject or another machine,\n  and %d take a new shape, and " \
        "their diffs say so. Algorithm leaves out\n  declarations, first " \
        "values, loads and stores.\n", steps, rules["first"], one,
        rules["anchors"], rules["exempt"]
}
