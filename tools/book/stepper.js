// The steppers. The picture of each step is text that the project's own C code
// writes (tools/book/steps, compiled to WebAssembly); this file only asks for
// it. Without JavaScript the page keeps the picture of the last step.
"use strict";

// A stepper that takes whole numbers: [name, least, most, label] of each.
function numbers(kind, unit, ...given) {
    return {
        fields: given.map(([name, least, most, label]) =>
            [name, label || `${name}, ${least} to ${most}`]),
        parse: (c, words) => given.map(([name, least, most], k) =>
            whole(name, words[k], least, most)),
        run: (c, values) => c[`run_${kind}`](...values),
        draw: (c, values, shown) => c[`show_${kind}`](shown),
        unit,
    };
}

const kinds = {
    online: {
        fields: [["scores", "Scores, separated by blanks", "scores"]],
        parse(c, [words]) {
            const x = words.trim().split(/[\s,;|]+/).map(number);
            if (x.length > c.most_scores())
                throw Error(`${x.length} scores: at most ${c.most_scores()}`);
            return x;
        },
        run: (c, x) => x.length,
        draw(c, x, shown) {
            new Float32Array(c.memory.buffer, c.scores_in(), x.length).set(x);
            return c.show_online(x.length, shown);
        },
        unit: "key",
    },
    tiles: numbers("tiles", "visit", ["N", 1, 1024], ["d", 1, 128],
                   ["M", 1, 1e7, "M, elements on chip"]),
    backward: numbers("backward", "visit", ["N", 1, 1024], ["d", 1, 128],
                      ["M", 1, 1e7, "M, elements on chip"]),
    warp: numbers("warp", "lane", ["bytes", 4, 16, "Bytes per lane: 4, 8, 16"],
                  ["row", 4, 4096, "Bytes from row to row"],
                  ["across", 1, 32, "Lanes in a row, 1 to 32"],
                  ["swizzle", 0, 1, "Swizzle, 0 or 1"]),
    pipeline: numbers("pipeline", "moment"),
};

function number(word) {
    const x = word === "-inf" ? -Infinity : word === "" ? NaN : Number(word);
    if (Number.isNaN(x) || x > 1e6 || (x < -1e6 && x !== -Infinity))
        throw Error(`${word || "no score"}: not a score (-1e6 to 1e6, or -inf)`);
    return x;
}

function whole(name, word, least, most) {
    const x = Number(word);
    if (!/^\d+$/.test(word.trim()) || x < least || x > most)
        throw Error(`${name}: ${word || "empty"} (a whole number, ${least} to ` +
                    `${most})`);
    return x;
}

function element(tag, properties, ...children) {
    const el = Object.assign(document.createElement(tag), properties);
    el.append(...children);
    return el;
}

function start(box, c) {
    const kind = kinds[box.dataset.kind];
    const given = box.dataset.words;
    const picture = element("div", { className: "picture" });
    picture.append(...box.childNodes);
    const words = kind.fields.length === 1 ? [given] : given.split(" ");
    const inputs = kind.fields.map(([name, label, style], i) =>
        element("input", { name, value: words[i], className: style || "",
                           autocomplete: "off", spellcheck: false,
                           inputMode: style ? "text" : "numeric" }));
    const says = element("p", { className: "hint", role: "status" });
    const button = (text, label, to) => element("button", {
        type: "button", textContent: text, title: label, ariaLabel: label,
        onclick: () => show(to()) });
    const first = button("|←", "First step (Home)", () => 0);
    const back = button("←", "Step back (left arrow)", () => shown - 1);
    const on = button("→", "Step on (right arrow)", () => shown + 1);
    const last = button("→|", "Last step (End)", () => steps);

    let numbers, steps = 0, shown = 0;

    function show(to) {
        shown = Math.min(Math.max(to, 0), steps);
        const length = kind.draw(c, numbers, shown);
        picture.innerHTML = new TextDecoder().decode(
            new Uint8Array(c.memory.buffer, c.picture(), length));
        says.className = "hint";
        says.textContent = `${kind.unit} ${shown} of ${steps}. ` +
            "Arrow keys step, Home and End jump" +
            (inputs.length ? ", Enter takes what you typed." : ".");
    }

    function take(to) {
        try {
            numbers = kind.parse(c, inputs.map((input) => input.value));
            steps = kind.run(c, numbers);
            show(to);
            return true;
        } catch (error) {
            says.className = "hint error";
            says.textContent = error.message;
            return false;
        }
    }

    // Without a button of this kind Enter does nothing where fields are several.
    const submit = element("button", { hidden: true,
                                       ariaLabel: "Take what you typed" });
    const form = element("form", {
        onsubmit(event) {
            event.preventDefault();
            if (take(0))
                box.focus({ preventScroll: true });
        },
    }, ...kind.fields.map(([, label], i) =>
        element("label", {}, label, inputs[i])),
    element("div", { className: "buttons" }, first, back, on, last), submit, says);

    // In a field, left, right, Home and End belong to the field. Else they are
    // the stepper's, whatever was clicked last: a page has one.
    const keys = { ArrowLeft: () => shown - 1, ArrowRight: () => shown + 1,
                   Home: () => 0, End: () => steps };
    document.addEventListener("keydown", (event) => {
        if (!keys[event.key] || event.target.tagName === "INPUT" ||
            event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
            return;
        event.preventDefault();
        show(keys[event.key]());
    });
    box.replaceChildren(form, picture);
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Step through it");
    take(1);
    box.dataset.ready = "yes";
}

async function startAll() {
    const bytes = Uint8Array.from(atob(KERNELS), (c) => c.charCodeAt(0));
    // The C library knows files, of which the steppers have none.
    const none = new Proxy({}, { get: () => () => 0 });
    const { instance } = await WebAssembly.instantiate(bytes,
        { wasi_snapshot_preview1: none });
    document.querySelectorAll(".stepper").forEach((box) =>
        start(box, instance.exports));
}

startAll();
