// What must hold on every page. test.py puts this into it, and asks.
"use strict";

const all = (selector) => [...document.querySelectorAll(selector)];

function ownText(el) {
    return [...el.childNodes].filter((node) => node.nodeType === 3)
        .map((node) => node.data).join("").trim();
}

const texts = () => all("body *").filter((el) => ownText(el) &&
    el.checkVisibility() && !el.closest("annotation, script, style, svg"));

function scrolls(el) {
    return el && (/auto|scroll/.test(getComputedStyle(el).overflowX) ||
                  scrolls(el.parentElement));
}

// How light these colours are, painted over one another.
const brush = new OffscreenCanvas(1, 1).getContext("2d",
    { willReadFrequently: true });
function light(colors) {
    for (brush.fillStyle of ["white", ...colors])
        brush.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...brush.getImageData(0, 0, 1, 1).data].map((c) =>
        c <= 10 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
}

// WCAG 2.1, AA: 4.5; 3 for large letters.
function isPale(el) {
    const { color, fontSize, fontWeight } = getComputedStyle(el), behind = [];
    for (let at = el; at; at = at.parentElement)
        behind.unshift(getComputedStyle(at).backgroundColor);
    const [a, b] = [light(behind), light([...behind, color])];
    const size = parseFloat(fontSize);
    const large = size >= 24 || size >= 18.66 && fontWeight >= 700;
    return Math.max(a / b, b / a) < (large ? 3 : 4.5);
}

// What is wrong: elements, or words, or nothing.
const CHECKS = {
    "is wider than the page": () => all("body *").filter((el) =>
        el.getBoundingClientRect().right >
            document.documentElement.clientWidth + 1 &&
        !scrolls(el.parentElement) && el.checkVisibility()),
    // Text of one kind is measured once.
    "is too pale": () => [...new Map(texts().map((el) =>
        [[el, el.parentElement].map((e) => e.localName + e.className).join(),
         el])).values()].filter(isPale),
    "an image that is not shown, or says nothing": () =>
        Promise.all([...document.images].map(async (img) => {
            img.loading = "eager";
            await img.decode().catch(() => 0);
            return img.naturalWidth && img.alt ? [] : img;
        })),
    "a formula that is not drawn": () => all("math").filter((math) =>
        math.checkVisibility() && !math.getBoundingClientRect().width ||
        math.querySelector("merror")),
    "TeX is left over": () => texts().filter((el) => !el.closest("pre, code") &&
        /\$|\\[a-zA-Z]+|\\\(/.test(ownText(el))),
    "has not one heading, title, language, main part": () =>
        all("h1").length === 1 && document.title &&
        document.documentElement.lang && all("main").length === 1 ? [] : "page",
    "two elements have one name": () => all("[id]").filter((el) =>
        document.getElementById(el.id) !== el),
    "a heading below one that is missing": () => all("h1, h2, h3, h4").filter(
        (el, k, list) => el.localName[1] - (list[k - 1]?.localName[1] || 0) > 1),
    "has no name": () => all("a[href]:not([aria-hidden]), button, input, summary")
        .filter((el) => !el.ariaLabel && !el.textContent.trim() &&
                        !el.labels?.length),
    "changes the order of the Tab key": () => all("[tabindex]").filter((el) =>
        el.tabIndex > 0),
    "says it inside the book": () => texts().filter((el) =>
        el.closest("main") && /\bin the book\b/i.test(el.textContent)),
};

async function wrong(...names) {
    const found = [];
    for (const name of names.length ? names : Object.keys(CHECKS))
        for (const bad of [await CHECKS[name]()].flat(2))
            found.push(`${name}: ${bad.outerHTML?.slice(0, 90) || bad}`);
    return found;
}

// Places of the book that a key can reach.
const links = () => all("a[href]").filter((a) => a.tabIndex === 0 &&
    (a.checkVisibility() || a.closest("#contents"))).map((a) => a.href)
    .filter((href) => href.startsWith("file:")).map(decodeURIComponent);

// What a stepper shows of these words, after so many steps.
function picture(words, steps) {
    const box = document.querySelector(".stepper");
    const inputs = [...box.querySelectorAll("input")];
    const values = inputs.length === 1 ? [words] : words.split(" ");
    inputs.forEach((input, k) => { input.value = values[k]; });
    box.querySelector("form").requestSubmit();
    const keys = steps === "all" ? ["End"] : Array(+steps).fill("ArrowRight");
    for (const key of ["Home", ...keys])
        box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    return box.querySelector(".picture").innerHTML.trim();
}

// HTML as the browser writes it.
function normal(html) {
    const el = document.createElement("div");
    el.innerHTML = html;
    return el.innerHTML.trim();
}

// The first place that the search finds, and how many.
function places(query) {
    const field = document.querySelector("[type=search]");
    field.value = query;
    field.dispatchEvent(new Event("input"));
    return all(".found a").map((a) => a.getAttribute("href"));
}
