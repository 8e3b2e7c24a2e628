// The contents show where you are, and close when you have chosen a section.
"use strict";

(() => {
    const contents = document.querySelector("#contents");
    const here = contents.querySelector("[aria-current]");

    if (here && contents.scrollHeight > contents.clientHeight)
        contents.scrollTop = here.offsetTop - contents.clientHeight / 3;
    contents.addEventListener("click", (event) => {
        if (event.target.closest("a") && contents.matches(":popover-open"))
            contents.hidePopover();
    });
})();
