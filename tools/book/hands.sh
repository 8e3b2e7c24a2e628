# tools/book/hands.sh: real keys and touches for tests, which read it by `.`, and
# call close_browser and finish at the end. The events of a script would reach
# what no real key reaches, so Chromium is asked to press them (devtools.sh).
# shellcheck shell=sh disable=SC2034,SC2154 # others use value and answer
build=${BUILD:-build}
book=$(cd "$build/book" && pwd) || exit 1
here=$build/book_test/$(basename "$0" .sh)
scripts_off=
. tools/count.sh
. tools/book/devtools.sh

mkdir -p "$here"
open_browser

# press KEY: down and up.
press() {
    more=
    case $1 in
    Tab) more=',"windowsVirtualKeyCode":9' ;;
    Enter) more=',"windowsVirtualKeyCode":13,"text":"\r"' ;;
    Escape) more=',"windowsVirtualKeyCode":27' ;;
    End) more=',"windowsVirtualKeyCode":35' ;;
    Home) more=',"windowsVirtualKeyCode":36' ;;
    ArrowLeft) more=',"windowsVirtualKeyCode":37' ;;
    ArrowRight) more=',"windowsVirtualKeyCode":39' ;;
    ArrowDown) more=',"windowsVirtualKeyCode":40' ;;
    /) more=',"windowsVirtualKeyCode":191,"text":"/"' ;;
    esac
    for type in keyDown keyUp; do
        ask Input.dispatchKeyEvent \
            "{\"type\":\"$type\",\"key\":\"$1\",\"code\":\"$1\"$more}"
    done
}

# tap SELECTOR: in its middle.
tap() {
    script "document.querySelector('$1').scrollIntoView({ block: 'center' })"
    script "((box) => Math.round(box.x + box.width / 2) + ' ' + Math.round(box.y + box.height / 2))(document.querySelector('$1').getBoundingClientRect())"
    tap_at "${value% *}" "${value#* }"
}

# tap_at X Y
tap_at() {
    ask Input.dispatchTouchEvent \
        "{\"type\":\"touchStart\",\"touchPoints\":[{\"x\":$1,\"y\":$2}]}"
    ask Input.dispatchTouchEvent '{"type":"touchEnd","touchPoints":[]}'
}

# holds JAVASCRIPT WHAT: is it true, or does it become so, within about 15 seconds?
holds() {
    tries=0
    while [ $((tries += 1)) -le 60 ]; do
        script "String($1)"
        [ "$value" = true ] && break
        sleep 0.2 2>/dev/null || sleep 1
    done
    [ "$value" = true ]
    count $? "$page: $2 ($1: $value)"
}

# open_page NAME [WIDTH]: in a tab of its own; a stepper of it has started.
open_page() {
    page=$1
    session=
    ask Target.createTarget '{"url":"about:blank"}'
    ask Target.attachToTarget \
        "{\"targetId\":\"$(field targetId)\",\"flatten\":true}"
    session="\"sessionId\":\"$(field sessionId)\","
    ask Emulation.setDeviceMetricsOverride "{\"width\":${2:-1280},\
\"height\":800,\"deviceScaleFactor\":1,\"mobile\":false}"
    [ -z "$scripts_off" ] ||
        ask Emulation.setScriptExecutionDisabled '{"value":true}'
    ask Page.navigate "{\"url\":\"file://$book/$page\"}"
    holds "location.href.endsWith('$page') && document.readyState === 'complete' && (${scripts_off:-false} || !document.querySelector('.stepper:not([data-ready])'))" \
        "does not open, or its stepper does not start"
}
