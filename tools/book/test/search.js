// The search must find each term of the glossary, first of all, by its name and
// by each of its names; and words that are in no title.
"use strict";

async function checkSearch() {
    const glossary = await open("glossary.html", 1280);
    const terms = [...glossary.contentDocument.querySelectorAll("li > a[id]")]
        .map((a) => [a.id, a.parentElement.querySelector("strong").textContent]);
    glossary.remove();
    const frame = await open("01_naive_softmax/naive_softmax.c.html", 360);
    const doc = frame.contentDocument, field = doc.querySelector("[type=search]");

    field.focus();
    field.dispatchEvent(new frame.contentWindow.Event("focus"));
    await new Promise((resolve) => {
        doc.head.lastChild.addEventListener("load", resolve);
    });
    function places(query) {
        field.value = query;
        field.dispatchEvent(new frame.contentWindow.Event("input"));
        return [...doc.querySelectorAll(".found a")]
            .map((a) => a.href.replace(/.*\/book\//, ""));
    }
    check("search", `the glossary has ${terms.length} terms`, terms.length > 60);
    const names = (term) => [term, ...term.split(", ")];
    for (const name of new Set(terms.flatMap(([, term]) => names(term))))
        check("search", `${name}: finds ${places(name)[0]} first`,
              terms.some(([id, term]) => names(term).some((one) =>
                  one.toLowerCase() === name.toLowerCase()) &&
                  places(name)[0] === `glossary.html#${id}`));
    check("search", "does not find a word of a page's text",
          places("borrow the same book")[0]?.startsWith("05_flash1.html"));
    check("search", "finds what is not there", places("zzyzx").length === 0);
    checkWidth("search (360)", doc);
    frame.remove();
}
