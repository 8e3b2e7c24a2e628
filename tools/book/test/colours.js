// Contrast by WCAG 2: the colour of a text against what is painted behind it.
"use strict";

// "rgb(1, 2, 3)", "rgba(...)" or "color(srgb 0.1 0.2 0.3 / 0.5)": 0..1 each.
function parsed(text) {
    const n = (text.match(/-?[\d.]+(e-?\d+)?/g) || []).map(Number);
    if (text.startsWith("color("))
        return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1];
    return [n[0] / 255, n[1] / 255, n[2] / 255, n.length > 3 ? n[3] : 1];
}

function over([r, g, b, a], [R, G, B]) {
    return [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
}

function luminance(colour) {
    const [r, g, b] = colour.map((c) =>
        c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(a, b) {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

// All backgrounds from the page up to el, painted over one another. A number
// in a tile stands on the rectangle drawn before it.
function behind(el) {
    const view = el.ownerDocument.defaultView;
    const under = el.parentElement ? behind(el.parentElement) : [1, 1, 1, 1];
    const before = el.previousElementSibling;
    const style = view.getComputedStyle(el);
    if (el.matches("svg text.nth") && before)
        return over(parsed(view.getComputedStyle(before).fill), under);
    if (el instanceof view.SVGElement)
        return under;
    return over(parsed(style.backgroundColor), under);
}

// The contrast of el's own text, and the least that is allowed.
function contrast(el) {
    const style = el.ownerDocument.defaultView.getComputedStyle(el);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const paint = el.closest("svg") ? style.fill : style.color;
    const back = behind(el);
    return { is: ratio(over(parsed(paint), back), back), least: large ? 3 : 4.5 };
}
