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

/* Code that rescales a state has the colours of the formulas, old · factor + new. The old
 * value is the name after `alpha *`, or the second argument of rescale(). */
const PARTS = { old: 'old', alpha: 'factor', ratio: 'factor', beta: 'new', l_tile: 'new',
                l_part: 'new', pv: 'new', o_part: 'new', exponentiate: 'new', p: 'new' };
const markParts = (line) => {
    const text = line.map((node) => node.textContent).join('');
    const names = line.filter((node) => /^\w+$/.test(node.textContent));
    const old = text.match(/\b(?:alpha(?:\[.*?\])? \* \*?|rescale\(mem, )(\w+)/)?.[1];
    let past = false;
    for (const node of names) {
        const name = node.textContent, is = past && name === old ? 'old' : PARTS[name];
        past ||= name === 'alpha' || name === 'rescale';
        if (is)
            node.classList?.add(is);
    }
};
addEventListener('DOMContentLoaded', () => {
    for (const code of document.querySelectorAll('article pre code')) {
        let line = [];
        if (!/\balpha =/.test(code.textContent) || code.closest('.player'))
            continue;
        for (const node of [...code.childNodes, new Text('\n')]) {
            line.push(node);
            if (node.textContent.includes('\n')) {
                markParts(line);
                line = [];
            }
        }
    }
});

/* Only pages with programs load the script that runs them. */
const here = new URL('.', document.currentScript.src);
addEventListener('DOMContentLoaded', () => {
    if (!document.querySelector('.terminal, .sliders'))
        return;
    const script = document.createElement('script');
    script.src = new URL('terminal.js', here);
    document.head.append(script);
});
