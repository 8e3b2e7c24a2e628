// The contents show where you are. Opened over a page, they close when you have
// chosen a section, or tap beside them.
"use strict";

(() => {
    const contents = document.querySelector("#contents");
    const here = contents.querySelector("[aria-current]");

    if (here && contents.scrollHeight > contents.clientHeight)
        contents.scrollTop = here.offsetTop - contents.clientHeight / 3;
    document.addEventListener("click", ({ target }) => {
        const stays = target.closest("#contents, [popovertarget]") &&
            !target.closest("#contents a");

        if (contents.matches(":popover-open") && !stays)
            contents.hidePopover();
    });
})();
