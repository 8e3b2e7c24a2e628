// A stepper must show, byte for byte, what the C program prints (CASES, from
// cases.js), by keyboard alone; and without JavaScript the picture of its last
// step.
"use strict";

const seenKinds = new Set();

// The same text as the browser would write it.
function normal(html) {
    const el = document.createElement("div");
    el.innerHTML = html;
    return el.innerHTML.trim();
}

function press(frame, el, key) {
    el.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown",
        { key, bubbles: true, cancelable: true }));
}

async function ready(box) {
    for (let tries = 0; tries < 200 && !box.dataset.ready; tries++)
        await new Promise((resolve) => setTimeout(resolve, 20));
    return box.dataset.ready === "yes";
}

function checkCase(at, frame, box, { kind, words, shown, html }) {
    const inputs = [...box.querySelectorAll("input")];
    const values = inputs.length === 1 ? [words] : words.split(" ");
    inputs.forEach((input, i) => { input.value = values[i]; });
    box.querySelector("form").requestSubmit();
    if (shown === "all")
        press(frame, box, "End");
    for (let k = 0; k < Number(shown); k++)
        press(frame, box, "ArrowRight");
    const got = box.querySelector(".picture").innerHTML.trim();
    check(at, `${kind} ${words}, ${shown} shown: is not what C prints`,
          got === normal(html));
}

async function checkSteppers(at, page, frame) {
    const plain = await open(page, frame.width, "allow-same-origin");
    const still = [...plain.contentDocument.querySelectorAll(".stepper")];
    const boxes = [...frame.contentDocument.querySelectorAll(".stepper")];
    for (const [i, box] of boxes.entries()) {
        const kind = box.dataset.kind;
        seenKinds.add(kind);
        check(at, `the ${kind} stepper does not start`, await ready(box));
        check(at, `${kind}: does not open at the first`,
              / 1 of /.test(box.querySelector("[role=status]").textContent));
        press(frame, box, "End");
        checkWidth(at, frame.contentDocument);
        check(at, `without JavaScript ${kind} shows something else`,
              still[i].querySelector("svg") && still[i].innerHTML.trim() ===
              box.querySelector(".picture").innerHTML.trim());
        CASES.filter((one) => one.kind === kind)
            .forEach((one) => checkCase(at, frame, box, one));
        check(at, `${kind}: has no cases`,
              CASES.some((one) => one.kind === kind));
        check(at, `${kind}: Enter leaves the focus in the field`,
              frame.contentDocument.activeElement === box);
        for (const input of box.querySelectorAll("input")) {
            const before = input.value;
            input.value = "x";
            box.querySelector("form").requestSubmit();
            check(at, `${kind}: takes "x"`, box.querySelector(".hint.error"));
            input.value = before;
        }
    }
    plain.remove();
}
