#!/bin/sh
# tools/book/test_touch.sh: the book under a finger, on paper, and without
# JavaScript.
set -u
. tools/book/hands.sh

open_contents="document.querySelector('#contents').matches(':popover-open')"

for scripts_off in '' true; do
    open_page warp_stepper.html 360
    ask Emulation.setTouchEmulationEnabled '{"enabled":true}'
    holds "!document.querySelector('#contents').checkVisibility()" \
        "the contents are open on a phone"
    tap '[popovertarget]'
    holds "$open_contents" "a tap does not open the contents"
    sleep 1 # else it is a double tap
    tap_at 335 400
    holds "!$open_contents" "a tap beside them does not close the contents"
    if [ -z "$scripts_off" ]; then
        tap '.stepper button:nth-child(3)'
        holds "document.querySelector('.stepper [role=status]').textContent.includes(' 2 of ')" \
            "a tap does not step"
    else
        holds "document.querySelector('.stepper svg').checkVisibility()" \
            "there is no picture without JavaScript"
        holds "!document.querySelector('[role=search]')" \
            "there is a search that cannot search"
    fi
    open_page 03_online_softmax.html 1280
    holds "document.querySelector('#contents').checkVisibility()" \
        "the contents are closed on a wide screen"
    holds "document.querySelector('#contents .sections a') !== null" \
        "the contents lack this page's sections"
done

scripts_off=
open_page 03_online_softmax.html 794
ask Emulation.setEmulatedMedia '{"media":"print"}'
holds "!document.querySelector('header').checkVisibility()" \
    "the header is printed"
holds "[...document.querySelectorAll('details.fold pre')].every((el) => el.getBoundingClientRect().height > 100)" \
    "what is folded is not printed"
holds "[...document.querySelectorAll('pre')].every((el) => el.scrollWidth <= el.clientWidth + 1)" \
    "code is cut off on paper"
holds "getComputedStyle(document.documentElement).backgroundColor === 'rgb(255, 255, 255)'" \
    "paper is not white"

close_browser
finish
