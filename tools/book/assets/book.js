/* Typesets the formulas, which the generator writes as \(...\) and \[...\]. */
addEventListener('DOMContentLoaded', () => renderMathInElement(document.body, {
    delimiters: [{ left: '\\(', right: '\\)', display: false },
                 { left: '\\[', right: '\\]', display: true }],
}));
