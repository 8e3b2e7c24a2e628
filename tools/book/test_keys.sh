#!/bin/sh
# tools/book/test_keys.sh: the book under keys as a keyboard sends them: the
# steppers, the search, the contents, and the Tab key through a whole page.
set -u
. tools/book/hands.sh

# shows STEP WHAT: is it at that step of ...?
shows() {
    holds "document.querySelector('.stepper [role=status]').textContent.includes(' $1 of ')" "$2"
}

for name in online tile backward warp pipeline; do
    open_page "${name}_stepper.html"
    shows 1 "it opens at the first"
    press ArrowRight
    shows 2 "a key works before anything was clicked"
    press ArrowLeft
    press ArrowLeft
    shows 0 "the left arrow steps back"
    if [ $name != pipeline ]; then # which has no field
        script "document.querySelector('.stepper input').focus()"
        press ArrowRight
        shows 0 "in a field the arrow is the field's"
        press Enter
    fi
    press ArrowRight
    shows 1 "the keys step again"
    script "document.activeElement.blur()"
    press ArrowRight
    shows 2 "keys work wherever the focus is"
    press Home
    shows 0 "Home goes back to the start"
done

active=document.activeElement
open_page 05_flash1.html
press /
holds "$active.type === 'search'" "a stroke does not go to the search"
ask Input.insertText '{"text":"wavefront"}'
holds "document.querySelector('.found a') !== null" "nothing is found"
press ArrowDown
holds "$active.getAttribute('href') === 'glossary.html#wavefront'" \
    "the arrow does not go to what was found"
holds "getComputedStyle($active).outlineStyle === 'solid'" \
    "what has the focus does not show it"
press Escape
holds "document.querySelector('.found').hidden && $active.type === 'search'" \
    "Escape does not close what was found"
ask Input.insertText '{"text":" "}'
press ArrowDown
press Enter
holds "location.href.endsWith('glossary.html#wavefront')" \
    "Enter does not go to what was found"

open_page 01_naive_softmax.html 360
press Tab
press Enter
press Tab
holds "document.querySelector('main').contains($active)" \
    "the first stop does not lead to the text"

# Every stop of a phone's page: none is passed over.
open_page 01_naive_softmax.html 360
script "String((window.stops = [...document.querySelectorAll('a[href], button, input, summary')].filter((el) => el.tabIndex === 0 && el.checkVisibility())).length)"
stops=$value
k=0
while [ "$k" -lt $((stops + 20)) ]; do # boxes that scroll are stops, too
    press Tab
    script "stops.splice(stops.indexOf($active), stops.includes($active) ? 1 : 0)"
    k=$((k + 1))
    script "String(stops.length)"
    [ "$value" -eq 0 ] && break
done
holds "stops.length === 0" "the Tab key passes over some of $stops stops"

open_page 06_flash2.html 360
press Tab
press Tab
press Enter
holds "document.querySelector('#contents').matches(':popover-open')" \
    "Enter does not open the contents"
press Tab
holds "document.querySelector('#contents').contains($active)" \
    "the Tab key does not go into the contents"
press Escape
holds "!document.querySelector('#contents').matches(':popover-open')" \
    "Escape does not close the contents"

close_browser
finish
