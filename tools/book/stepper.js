// The steppers. The picture of each step is text that the project's own C code
// writes (tools/book/steps, compiled to WebAssembly); this file only asks for
// it. Without JavaScript the page keeps the picture of the last step.
"use strict";

// As steps.h numbers them. Of each field: its label, and the least and most that
// a number may be.
const MOST_NUMBERS = 32;
const TILES = [["N", 1, 1024], ["d", 1, 128], ["M, elements on chip", 1, 1e7]];
const KINDS = {
    online: { unit: "key", fields: [["Scores, separated by blanks"]] },
    tiles: { unit: "visit", fields: TILES },
    backward: { unit: "visit", fields: TILES },
    warp: { unit: "lane", fields: [
        ["Bytes per lane, a power of 2", 4, 16], ["Bytes from row to row", 4, 4096],
        ["Lanes in a row", 1, 32], ["Swizzle", 0, 1]] },
    pipeline: { unit: "moment", fields: [] },
};

function score(word) {
    const x = word === "-inf" ? -Infinity : word === "" ? NaN : Number(word);
    if (Number.isNaN(x) || x > 1e6 || (x < -1e6 && x !== -Infinity))
        throw Error(`${word || "no score"}: not a score (-1e6 to 1e6, or -inf)`);
    return x;
}

function element(tag, properties, ...children) {
    const el = Object.assign(document.createElement(tag), properties);
    el.append(...children);
    return el;
}

function start(box, c) {
    const { kind, words } = box.dataset, { unit, fields } = KINDS[kind];
    const picture = element("div", { className: "picture" }, ...box.childNodes);
    const inputs = fields.map(([, min, max], i) => element("input", max ?
        { type: "number", required: true, min, max, value: words.split(" ")[i] } :
        { value: words, className: "scores", autocomplete: "off" }));
    const says = element("p", { className: "hint", role: "status" });
    let steps = 0, shown = 0;

    function show(to) {
        shown = Math.min(Math.max(to, 0), steps);
        const length = c.draw(shown);
        picture.innerHTML = new TextDecoder().decode(
            new Uint8Array(c.memory.buffer, c.picture.value, length));
        says.className = "hint";
        says.textContent = `${unit} ${shown} of ${steps}. ` +
            "Arrow keys step, Home and End jump" +
            (inputs.length ? ", Enter takes what you typed." : ".");
    }

    function take(to) {
        const numbers = kind === "online" ?
            inputs[0].value.trim().split(/[\s,;|]+/).map(score) :
            inputs.map((el) => el.valueAsNumber);
        if (numbers.length > MOST_NUMBERS)
            throw Error(`at most ${MOST_NUMBERS} scores`);
        new Float32Array(c.memory.buffer, c.numbers.value).set(numbers);
        steps = c.run(Object.keys(KINDS).indexOf(kind), numbers.length);
        show(to);
    }

    // In a field, left, right, Home and End belong to the field. Else they are
    // the stepper's, whatever was clicked last: a page has one.
    const keys = { Home: () => 0, ArrowLeft: () => shown - 1,
                   ArrowRight: () => shown + 1, End: () => steps };
    document.addEventListener("keydown", (event) => {
        if (!keys[event.key] || event.target.tagName === "INPUT" ||
            event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
            return;
        event.preventDefault();
        show(keys[event.key]());
    });
    const buttons = [["|←", "First step", "Home"], ["←", "Step back", "ArrowLeft"],
                     ["→", "Step on", "ArrowRight"], ["→|", "Last step", "End"]]
        .map(([textContent, ariaLabel, key]) => element("button", {
            type: "button", textContent, ariaLabel,
            onclick: () => show(keys[key]()) }));
    // Without a button of this kind Enter does nothing where fields are several.
    const submit = element("button", { hidden: true,
                                       ariaLabel: "Take what you typed" });
    const form = element("form", {
        onsubmit(event) {
            event.preventDefault();
            try {
                take(0);
                box.focus({ preventScroll: true });
            } catch (error) {
                says.className = "hint error";
                says.textContent = error.message;
            }
        },
    }, ...fields.map(([label, least, most], i) => element("label", {},
        most ? `${label} (${least} to ${most})` : label, inputs[i])),
    element("div", {}, ...buttons), submit, says);

    box.replaceChildren(form, picture);
    box.tabIndex = 0;
    box.role = "group";
    box.ariaLabel = "Step through it";
    take(1);
}

(async () => {
    const bytes = Uint8Array.from(atob(KERNELS), (c) => c.charCodeAt(0));
    // The C library knows files, of which the steppers have none.
    const none = new Proxy({}, { get: () => () => 0 });
    const { instance } = await WebAssembly.instantiate(bytes,
        { wasi_snapshot_preview1: none });
    document.querySelectorAll(".stepper").forEach((box) =>
        start(box, instance.exports));
})();
