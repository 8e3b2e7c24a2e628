// The search over all pages. Its index (index.js: [place, page, section, text]
// of every section) is a script, because a page opened from a disk may load
// nothing else; it is fetched when the field is first used.
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
                `<li><a href="${root}${html(place)}"><b>${html(section || page)}</b>` +
                `${section && ` <span>${html(page)}</span>`}` +
                `<br>${excerpt(text, words)}</a></li>`);
    }

    const form = document.createElement("form");
    form.setAttribute("role", "search");
    form.innerHTML = `<input type="search" aria-label="Search all pages"
        placeholder="Search ( / )" autocomplete="off" spellcheck="false">
        <div class="found" hidden><p role="status"></p><ol></ol></div>`;
    const [field] = form.elements;
    const box = form.querySelector(".found"), list = box.querySelector("ol");

    function show() {
        if (typeof INDEX === "undefined")
            return;
        const places = field.value.trim() ? found(field.value) : [];
        box.hidden = !field.value.trim();
        box.querySelector("[role=status]").textContent =
            places.length === 1 ? "1 place" : `${places.length} places` +
            (places.length > MOST ? `, the first ${MOST}` : "");
        list.innerHTML = places.slice(0, MOST).join("");
    }

    function fetchIndex() {
        const script = document.createElement("script");
        script.src = `${root}index.js`;
        script.onload = show;
        document.head.append(script);
    }

    field.addEventListener("focus", fetchIndex, { once: true });
    field.addEventListener("input", show);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        list.querySelector("a")?.click();
    });

    // Down and up walk through what was found, Escape goes back and closes.
    form.addEventListener("keydown", (event) => {
        const stops = [field, ...list.querySelectorAll("a")];
        const at = stops.indexOf(document.activeElement);
        const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
        if (to !== undefined && !box.hidden) {
            event.preventDefault();
            stops[to]?.focus();
        } else if (event.key === "Escape") {
            field.focus();
            box.hidden = true;
        }
    });
    document.addEventListener("keydown", (event) => {
        if (event.key === "/" && !/INPUT/.test(event.target.tagName)) {
            event.preventDefault();
            field.focus();
            field.select();
        }
    });
    document.addEventListener("click", (event) => {
        if (!form.contains(event.target) || event.target.closest(".found a"))
            box.hidden = true;
    });
    document.querySelector("header").append(form);
})();
