# sh tools/exercise_table.sh | awk -f tools/exercise_hours.awk: how long the
# exercises of each chapter take, for README.
BEGIN { FS = "|" }
$3 > 0 { minutes[substr($2, 12, 2) + 0] += $3 }
END {
    printf "Those of chapters 01 to 07 take"
    for (k = 1; k <= 7; k++)
        printf "%s %.1f", k == 1 ? "" : k < 7 ? "," : " and", minutes[k] / 60
    print " hours."
}
