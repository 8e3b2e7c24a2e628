# shellcheck shell=sh disable=SC2154,SC2034,SC1087
# tools/book/devtools.sh: for tests, which read it by `.`: Chromium asked over
# its pipe (the DevTools protocol, each message ended by a zero byte). $here is
# a folder of the test's own; $passed and $failed are its counts.
export LC_ALL=C.UTF-8

# open_browser [OPTION...]
open_browser() {
    id=0
    session=
    rm -rf "$here/pipes"
    mkdir -p "$here/pipes" && mkfifo "$here/pipes/in" "$here/pipes/out" ||
        exit 1
    set -- --headless --disable-gpu --remote-debugging-pipe \
        --user-data-dir="$here/pipes/profile" "$@"
    [ "$(id -u)" -eq 0 ] && set -- --no-sandbox "$@"
    timeout 300 chromium "$@" 3<"$here/pipes/in" 4>"$here/pipes/out" \
        2>"$here/chromium.log" &
    cat "$here/pipes/out" >"$here/said" &
    exec 5>"$here/pipes/in"
}

# ask METHOD PARAMETERS: the answer is in $answer.
ask() {
    id=$((id + 1))
    printf '{"id":%d,%s"method":"%s","params":%s}\0' "$id" "$session" "$1" \
        "$2" >&5
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        answer=$(tr '\0' '\n' <"$here/said" | grep "^{\"id\":$id[,}]") && return
        [ "$try" -gt 5 ] && sleep 1 || sleep 0.1 2>/dev/null || sleep 1
    done
    echo "Chromium does not answer $1 (see $here/chromium.log)"
    echo "$passed passed, $((failed + 1)) failed"
    exit 1
}

# field NAME: of $answer.
field() {
    printf '%s\n' "$answer" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

# script JAVASCRIPT: its value, a string without quotes.
script() {
    ask Runtime.evaluate "{\"expression\":\"$1\",\"returnByValue\":true}"
    value=$(field value)
}

# open_tab FILE: what is asked from now on is asked of it.
open_tab() {
    session=
    ask Target.createTarget "{\"url\":\"file://$1\"}"
    ask Target.attachToTarget \
        "{\"targetId\":\"$(field targetId)\",\"flatten\":true}"
    session="\"sessionId\":\"$(field sessionId)\","
}

close_browser() {
    session=
    ask Browser.close '{}'
    exec 5>&-
    wait
}
