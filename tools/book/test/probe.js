// Opens every page of PAGES (cases.js) in a frame of each width, asks page.js,
// access.js and steppers.js what is wrong with it, and writes that down: a line
// each, then how many checks passed and failed, then DONE.
"use strict";

const WIDTHS = [360, 1280], MORE_WIDTHS = [768, 1024, 1920];
let passed = 0;
const failures = [];

// check(page, what, fine): one check; what says what is wrong if it isn't.
function check(page, what, fine) {
    if (fine)
        passed++;
    else
        failures.push(`${page}: ${what}`);
}

function open(page, width, sandbox) {
    const frame = document.createElement("iframe");
    frame.width = width;
    if (sandbox)
        frame.sandbox = sandbox;
    return new Promise((resolve) => {
        frame.onload = () => resolve(frame);
        frame.src = BOOK + page;
        document.body.append(frame);
    });
}

// From link to link every page can be reached.
function checkReach(links) {
    const reached = new Set(["index.html"]);
    for (const at of reached) // what is added meanwhile comes, too
        links.filter(({ page }) => page === at).forEach(({ to }) => reached.add(to));
    for (const page of PAGES)
        check(page, "no links lead here from index.html", reached.has(page));
}

async function probe() {
    const ids = new Map(), links = [];
    for (const page of PAGES) {
        for (const width of WIDTHS) {
            const frame = await open(page, width);
            const at = `${page} (${width})`;
            await checkPage(at, frame.contentDocument);
            if (width === WIDTHS[0]) {
                ids.set(page, idsOf(page, frame.contentDocument));
                links.push(...linksOf(page, frame.contentDocument));
            }
            if (frame.contentDocument.querySelector(".stepper"))
                await checkSteppers(at, page, frame);
            // A frame is dark where the element is that holds it.
            frame.style.colorScheme = "dark";
            check(at, "the browser shows no dark page", frame.contentWindow
                .matchMedia("(prefers-color-scheme: dark)").matches);
            checkContrast(`${at}, dark`, frame.contentDocument);
            if (width === WIDTHS[0])
                for (const more of MORE_WIDTHS) {
                    frame.width = more;
                    checkWidth(`${page} (${more})`, frame.contentDocument);
                }
            frame.remove();
        }
    }
    const seen = new Set(); // the same target is checked once
    for (const { page, to, anchor } of links) {
        if (seen.has(`${to}#${anchor}`))
            continue;
        seen.add(`${to}#${anchor}`);
        check(page, `${to}${anchor && "#" + anchor}: leads nowhere`,
              ids.has(to) && (!anchor || ids.get(to).has(anchor)));
    }
    checkReach(links);
    for (const { kind } of CASES)
        check("steppers", `no page has the ${kind} stepper`, seenKinds.has(kind));
    await checkSearch();
}

window.onload = () => probe().catch((error) => {
    failures.push(`the probe itself: ${error.stack}`);
}).then(() => {
    document.getElementById("report").textContent =
        [...failures, `${passed} passed, ${failures.length} failed`,
         "DONE"].join("\n");
});
