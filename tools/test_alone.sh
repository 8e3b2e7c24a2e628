#!/bin/sh
# tools/test_alone.sh: tests that chapters 01 to 05 work without the chapters after them
# and without tools/emulator.
# In a copy of the project it deletes the last chapter again and again. Each time it runs
# the targets of the chapter that is now the last.
# shellcheck disable=SC2016,SC2034 # `eval` expands the variables
set -u
. tools/tally.sh

copy=$tmp/copy
mkdir "$copy"
git ls-files -z | xargs -0 tar -cf - | tar -xf - -C "$copy" || exit 1
cd "$copy" || exit 1
unset BUILD MAKEFLAGS MFLAGS MAKELEVEL REQUIRE
makes() {
    "${MAKE:-make}" --no-print-directory -j"$(getconf _NPROCESSORS_ONLN || echo 2)" "$@"
}
# one_line TARGET...: true if the target fails after one line, in addition to make's own.
one_line() {
    not makes "$@" >"$tmp/said" 2>&1 &&
        [ "$(grep -vc '^make' "$tmp/said")" -eq 1 ] && cat "$tmp/said"
}

rm -rf tools/emulator
must "without tools/emulator chapter 07 is left out" eval '
    not makes chapter-07 >"$tmp/said" 2>&1 && grep "tools/emulator is missing" "$tmp/said"'
must "without tools/emulator: make chapter-05" makes chapter-05
rm -rf 07_*
for last in 05 04 03 02 01; do
    next=$(printf '%02d' $((${last#0} + 1)))
    rm -rf "$next"_*
    must "without chapter $next: make chapter-$last && ./run" eval \
        'makes chapter-$last && ./run'
    must "without chapter $next: make test-$last" makes test-$last
    for solution in "$last"_*/exercise/*/solution/*.c; do break; done
    named=${solution##*/}
    must "without chapter $next: make exercise-$last" eval '
        not makes exercise-$last E=${named%.c} &&
        cp "$solution" work/$last && makes exercise-$last E=${named%.c}'
    for plot in "$last"_*/plot.gp; do
        [ ! -e "$plot" ] ||
            must "without chapter $next: make plot-$last" makes plot-$last
    done
    must "without chapter $next: make tour runs $last chapters" eval '
        makes tour >"$tmp/said" && grep "^${last#0} chapters: ${last#0} ran" "$tmp/said"'
    must "without chapter $next: its targets print one line" eval '
        one_line chapter-$next && one_line plot-$next && one_line test-$next &&
        one_line flash && one_line plot-precision N=1 && one_line backward-02'
    must "without chapter $next: make help does not list it" eval '
        makes help >"$tmp/said" && [ "$(grep -c "^$" "$tmp/said")" -eq 2 ] &&
        not grep -E "flash|0[$((${last#0} + 1))-7]" "$tmp/said"'
done
finish "repeat the failed command in a copy without the later chapters"
