/* Typesets the formulas, which the generator writes as \(...\) and \[...\]. */
addEventListener('DOMContentLoaded', () => renderMathInElement(document.body, {
    delimiters: [{ left: '\\(', right: '\\)', display: false },
                 { left: '\\[', right: '\\]', display: true }],
}));

/* Pictures that move play once. A button below them plays them again. */
addEventListener('DOMContentLoaded', () => document.querySelectorAll(
    'img[src*="plots/race"], img[src*="plots/sweeps"]').forEach((img) => {
    const button = document.createElement('button');
    const source = img.src;
    let times = 0;
    button.type = 'button';
    button.className = 'replay';
    button.textContent = 'Play again';
    button.onclick = () => { img.src = `${source}?${++times}`; };
    img.after(button);
}));

/* Only pages with programs load the script that runs them. */
const here = new URL('.', document.currentScript.src);
addEventListener('DOMContentLoaded', () => {
    if (!document.querySelector('.terminal, .sliders'))
        return;
    const script = document.createElement('script');
    script.src = new URL('terminal.js', here);
    document.head.append(script);
});
