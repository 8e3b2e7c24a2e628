// What must hold on every page.
"use strict";

function idsOf(page, doc) {
    const all = [...doc.querySelectorAll("[id]")].map((el) => el.id);
    const twice = all.filter((id, i) => all.indexOf(id) < i);
    check(page, `two elements are called #${twice}`, twice.length === 0);
    return new Set(all);
}

// Links to pages of the book that a key can reach, as seen from its folder.
function linksOf(page, doc) {
    const book = new URL(BOOK, location.href).href;
    return [...doc.querySelectorAll("a[href]")]
        .filter((a) => a.tabIndex === 0 && (a.checkVisibility() ||
                a.closest("#contents")))
        .map((a) => new URL(a.href))
        .filter((url) => url.protocol === "file:")
        .map((url) => ({
            page,
            to: decodeURI(url.href.split("#")[0]).replace(book, ""),
            anchor: decodeURIComponent(url.hash.slice(1)),
        }));
}

async function checkImages(at, doc) {
    for (const img of doc.images) {
        img.loading = "eager";
        const shown = await img.decode().then(() => true, () => false);
        check(at, `${img.getAttribute("src")}: is not shown`,
              shown && img.naturalWidth > 0);
        check(at, `${img.getAttribute("src")}: has no alt text`, img.alt);
    }
}

// A formula that pandoc could not turn into MathML stays as TeX.
function checkFormulas(at, doc) {
    for (const math of doc.querySelectorAll("math")) {
        const box = math.getBoundingClientRect();
        check(at, `a formula is not drawn: ${math.textContent}`,
              (box.width > 0 && box.height > 0 || !math.checkVisibility()) &&
              !math.querySelector("merror"));
    }
    const left = textElements(doc.querySelector("main"))
        .filter((el) => !el.closest("pre, code") &&
                /\$|\\[a-zA-Z]+|\\\(/.test(ownText(el)));
    check(at, `TeX is left over: ${left.map(ownText)}`, left.length === 0);
}

function ownText(el) {
    return [...el.childNodes].filter((node) => node.nodeType === 3)
        .map((node) => node.data).join("").trim();
}

function textElements(root) {
    return [...root.querySelectorAll("*")].filter((el) =>
        ownText(el) && !el.closest("annotation, script, style") &&
        el.checkVisibility());
}

// Nothing may be wider than the page, but in a box that scrolls by itself.
function checkWidth(at, doc) {
    const root = doc.documentElement, wide = [];
    for (const el of doc.body.querySelectorAll("*"))
        if (el.getBoundingClientRect().right > root.clientWidth + 1 &&
            !scrolls(el.parentElement))
            wide.push(el.localName + (el.className && `.${el.className}`));
    check(at, `scrolls sideways: ${wide.slice(0, 3).join(", ")}`,
          root.scrollWidth <= root.clientWidth);
}

function scrolls(el) {
    return el && (/auto|scroll/.test(el.ownerDocument.defaultView
                  .getComputedStyle(el).overflowX) || scrolls(el.parentElement));
}

async function checkPage(at, doc) {
    check(at, "has no heading, or several",
          doc.querySelectorAll("h1").length === 1);
    check(at, "has no title", doc.title);
    await checkImages(at, doc);
    checkFormulas(at, doc);
    checkWidth(at, doc);
    doc.querySelectorAll("details").forEach((el) => { el.open = true; });
    doc.querySelector("#contents").showPopover();
    checkWidth(`${at}, contents open`, doc);
    checkAccess(at, doc);
    doc.querySelector("#contents").hidePopover();
}
