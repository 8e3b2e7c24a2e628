// What a reader needs who sees little, or has no mouse: contrast, names, order.
"use strict";

const MUST_CONTRAST = 4.5; // WCAG 2.1, AA; 3 for large letters

// "rgb(1, 2, 3)", "rgba(1, 2, 3, 0.5)" or "color(srgb 0.1 0.2 0.3 / 0.5)".
function numbersOf(color) {
    const [r, g, b, a = 1] = color.match(/[\d.]+(?:e-?\d+)?/g).map(Number);
    const most = color.startsWith("color(") ? 1 : 255;
    return [r / most, g / most, b / most, a];
}

const over = ([r, g, b, a], below) =>
    [r, g, b].map((c, k) => a * c + (1 - a) * below[k]);

function backgroundOf(el) {
    const layers = [];
    for (; el; el = el.parentElement) {
        const layer = numbersOf(getComputedStyle(el).backgroundColor);
        layers.unshift(layer);
        if (layer[3] === 1)
            break;
    }
    return layers.reduce((below, layer) => over(layer, below), [1, 1, 1]);
}

function lightOf(rgb) {
    const [r, g, b] = rgb.map((c) =>
        c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(el) {
    const behind = backgroundOf(el);
    const front = lightOf(over(numbersOf(getComputedStyle(el).color), behind));
    const back = lightOf(behind);
    return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
}

// Text of one kind is measured once: its class and that of what it lies in.
function paleTexts(doc) {
    const seen = new Set(), pale = [];
    for (const el of textElements(doc.body)) {
        const kind = `${el.localName}.${el.className}<${el.parentElement.className}` +
            `<${el.parentElement.parentElement.className}`;
        if (seen.has(kind) || el.closest("svg"))
            continue;
        seen.add(kind);
        const style = getComputedStyle(el), size = parseFloat(style.fontSize);
        const large = size >= 24 || size >= 18.66 && style.fontWeight >= 700;
        if (contrast(el) < (large ? 3 : MUST_CONTRAST))
            pale.push(`${kind} "${ownText(el).slice(0, 20)}" ` +
                      contrast(el).toFixed(2));
    }
    return pale;
}

function checkContrast(at, doc) {
    const pale = paleTexts(doc);
    check(at, `too pale: ${pale.slice(0, 3).join("; ")}`, pale.length === 0);
}

function checkAccess(at, doc) {
    checkContrast(at, doc);
    const levels = [...doc.querySelectorAll("h1, h2, h3, h4, h5, h6")]
        .map((el) => Number(el.localName[1]));
    check(at, `its headings are not in order: ${levels.join(" ")}`,
          levels.every((level, k) => level <= (k ? levels[k - 1] : 0) + 1));
    for (const el of doc.querySelectorAll(
            "a[href]:not([aria-hidden]), button, input, summary"))
        check(at, `a ${el.localName} has no name: ${el.outerHTML.slice(0, 80)}`,
              el.ariaLabel || el.textContent.trim() || el.labels?.length);
    check(at, "has no language, or more than one main part",
          doc.documentElement.lang && doc.querySelectorAll("main").length === 1);
    check(at, "says 'in the book' inside the book",
          !/\bin the book\b/i.test(doc.querySelector("main").textContent));
    for (const el of doc.querySelectorAll("[tabindex]"))
        check(at, "changes the order of the Tab key", el.tabIndex <= 0);
}
