#!/bin/sh
# tools/book/test_keys.sh: the steppers under keys as a keyboard sends them. A
# script's own events would reach what no real key reaches, so Chromium is asked
# to press them (devtools.sh): on a page just opened, where nothing was clicked.
set -u

build=${BUILD:-build}
book=$(cd "$build/book" && pwd) || exit 1
here=$build/book_test/keys
. tools/count.sh
. tools/book/devtools.sh

mkdir -p "$here"
open_browser

# press KEY: down and up.
press() {
    case $1 in
    Enter) more=',"windowsVirtualKeyCode":13,"text":"\r"' ;;
    End) more=',"windowsVirtualKeyCode":35' ;;
    Home) more=',"windowsVirtualKeyCode":36' ;;
    ArrowLeft) more=',"windowsVirtualKeyCode":37' ;;
    ArrowRight) more=',"windowsVirtualKeyCode":39' ;;
    esac
    for type in keyDown keyUp; do
        ask Input.dispatchKeyEvent \
            "{\"type\":\"$type\",\"key\":\"$1\",\"code\":\"$1\"$more}"
    done
}

# shows STEP WHAT: is it at that step of ...?
shows() {
    script "document.querySelector('.stepper [role=status]').textContent"
    case $value in *" $1 of "*) ;; *) false ;; esac
    count $? "$page: $2: want step $1, it says: $value"
}

# open_page NAME: in a tab of its own.
open_page() {
    page=$1
    open_tab "$book/$page"
    for try in 1 2 3 4 5 6 7 8 9 10; do
        script "String(document.querySelector('.stepper[data-ready]') !== null)"
        [ "$value" = true ] && return
        sleep 1
    done
    count 1 "$page: the stepper does not start"
}

for name in online_stepper tile_stepper; do
    open_page "$name.html"
    shows 1 "it opens at the first"
    press ArrowRight
    shows 2 "a key works before anything was clicked"
    press ArrowLeft
    press ArrowLeft
    shows 0 "the left arrow steps back"
    script "document.querySelector('.stepper input').focus()"
    press ArrowRight
    shows 0 "in a field the arrow is the field's"
    press Enter
    press ArrowRight
    shows 1 "after Enter the keys step again"
    script "document.activeElement.blur()"
    press ArrowRight
    shows 2 "keys work wherever the focus is"
    press Home
    shows 0 "Home goes back to the start"
done

close_browser
finish
