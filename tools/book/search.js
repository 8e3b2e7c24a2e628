// The search over all pages. Its index (index.js: [place, page, section, text]
// of every section) is a script, because a page opened from a disk may load
// nothing else; it is fetched when the field is first used. And the contents
// begin where you are, and close when you have chosen, or tap beside them.
"use strict";

(() => {
    const root = document.currentScript.dataset.root, MOST = 20;
    const html = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

    // A word is found where a word begins: "tile" in "tiles", not in "textile".
    const begins = (word) => new RegExp("(?<![\\p{L}\\p{N}])" +
        word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");

    // How well an entry fits, 0 if it lacks a word: names before text.
    function fits([place, page, section, text], words, all) {
        let points = /\.\w+\.html/.test(place) ? 1 : 2;
        for (const word of words) {
            const said = text.match(word)?.length || 0;
            const named = section.match(word) ? 30 : page.match(word) ? 15 : 0;
            if (!said && !named)
                return 0;
            points += Math.min(said, 5) + named;
        }
        const names = [section, ...section.split(/, | \(/)];
        const exact = names.findIndex((name) => name.toLowerCase() === all);
        return exact < 0 ? points : points + (exact ? 100 : 200) +
            (page === "Glossary" ? 50 : 0);
    }

    // The words around the first that was found.
    function excerpt(text, words) {
        const at = Math.max(0, text.search(words[0]) - 60);
        const part = text.slice(at ? text.indexOf(" ", at) : 0, at + 180);
        return html(part.replace(words[0], "\x01$&\x02"))
            .replace(/\x01/g, "<mark>").replace(/\x02/g, "</mark>");
    }

    function found(query) {
        const all = query.trim().toLowerCase();
        const words = all.split(/[\s,]+/).filter(Boolean).map(begins);
        return INDEX.map((entry) => [fits(entry, words, all), entry])
            .filter(([points]) => words.length && points)
            .sort(([a], [b]) => b - a)
            .map(([, [place, page, section, text]]) =>
                `<p><a href="${root}${html(place)}"><b>${html(section || page)}</b>` +
                `${section && ` <span>${html(page)}</span>`}` +
                `<br>${excerpt(text, words)}</a></p>`);
    }

    const form = document.createElement("form");
    form.setAttribute("role", "search");
    form.innerHTML = `<input type="search" aria-label="Search all pages"
        placeholder="Search ( / )" autocomplete="off">
        <div class="found" hidden></div>`;
    const [field] = form.elements, box = form.querySelector(".found");

    field.oninput = () => {
        if (typeof INDEX === "undefined")
            return;
        const places = found(field.value);
        box.hidden = !field.value.trim();
        box.innerHTML = `<p role="status">Places: ${places.length}</p>` +
            places.slice(0, MOST).join("");
    };
    field.addEventListener("focus", () => {
        const script = document.createElement("script");
        script.src = `${root}index.js`;
        script.onload = field.oninput;
        document.head.append(script);
    }, { once: true });
    form.onsubmit = () => {
        box.querySelector("a")?.click();
        return false;
    };
    document.addEventListener("keydown", (event) => {
        if (event.key === "/" && !/INPUT/.test(event.target.tagName)) {
            event.preventDefault();
            field.focus();
        }
    });
    document.querySelector("header").append(form);

    const contents = document.querySelector("#contents");
    const here = contents.querySelector("[aria-current]");
    contents.scrollTop = here ? here.offsetTop - contents.clientHeight / 3 : 0;
    document.addEventListener("click", ({ target }) => {
        const stays = target.closest("#contents, [popovertarget]") &&
            !target.closest("#contents a");
        if (contents.matches(":popover-open") && !stays)
            contents.hidePopover();
    });
})();
