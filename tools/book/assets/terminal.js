/* Runs the chapters' programs in the page. On pages they are in the elements
 *
 *   <div class="terminal" data-program="05_flash1" data-line="./run --trace">
 *   <div class="sliders" data-steps="flash1,flash2">    bars of counted traffic
 *
 * A program runs in a Worker (wasi.js). Its files are loaded when it first runs. */
'use strict';
(() => {
const assets = new URL('.', document.currentScript.src);
const SERVE = 'Browsers run programs only on pages of a server. In the folder of ' +
    'the project type\n\n    python3 -m http.server -d build/book\n\n' +
    'and open http://localhost:8000 .\n';

/* Starts a program. Calls print(text) for its output, and done(status, files) in the
 * end. Returns a function that stops it. */
function start(program, argv, files, print, done) {
    if (location.protocol === 'file:') {
        print(SERVE);
        done(1, new Map());
        return () => {};
    }
    const worker = new Worker(new URL('wasi.js', assets));
    const end = (status, written) => {
        worker.terminate();
        done(status, written);
    };
    worker.onmessage = ({ data }) => 'exit' in data ?
        end(data.exit, data.files) : print(data.text);
    worker.onerror = (error) => {
        print(`${error.message}\n`);
        end(1, new Map());
    };
    worker.postMessage({ program: `${assets}wasm/${program}.wasm`,
                         data: `${assets}data/`, argv, files });
    return () => {
        print('\nstopped\n');
        end(130, new Map());
    };
}

/* Splits a line into words. '...' and "..." may contain blanks. */
const words = (line) => [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)]
    .map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));

/* --- Terminals ------------------------------------------------------------- */

let count = 0;

function terminal(element) {
    const { program, line } = element.dataset;
    const command = program === 'flash' ? './flash' : './run';
    const files = new Map(); /* what the reader gave, and what programs wrote */
    const lines = [line];
    const name = `terminal-${++count}`;
    let stop = null, at = 0;

    element.innerHTML = `<form><label for="${name}">$</label>
        <input id="${name}" aria-label="a command, run in this page"
            autocomplete="off" autocapitalize="off" spellcheck="false">
        <button>Run</button></form>
        ${program === 'flash' ? `<p class="files"><label>Your arrays (they stay in
            this page): <input type="file" accept=".npy" multiple></label>
            <span></span></p>` : ''}
        <pre tabindex="0" role="log" aria-label="output" hidden></pre>
        <p class="hint">It runs in this page, on one thread: its times are longer than
        those of your machine; its counts are the same.</p>`;
    const [form, input, button, output] = ['form', 'form input', 'button', 'pre']
        .map((selector) => element.querySelector(selector));
    const list = element.querySelector('.files span');
    input.value = line;

    const show = (text) => {
        output.hidden = false;
        output.append(text);
        output.scrollTop = output.scrollHeight;
    };
    const label = () => { button.textContent = stop ? 'Stop' : 'Run'; };
    const add = (given) => given.forEach((content, file) => {
        const old = list?.querySelector(`[data-file="${CSS.escape(file)}"]`);
        const link = document.createElement('a');
        files.set(file, content);
        link.href = URL.createObjectURL(new Blob([content]));
        link.download = file.split('/').pop();
        link.dataset.file = file;
        link.textContent = file;
        old?.remove();
        list?.append(' ', link);
    });

    form.onsubmit = (event) => {
        event.preventDefault();
        const typed = input.value.trim();
        /* The pages also have this for a shell: make chapter-05 && ./run */
        const argv = words(typed.replace(
            RegExp(`^make chapter-${program.slice(0, 2)} *&& *`), ''));
        if (stop) {
            stop();
            if (typed === lines.at(-1))
                return;
        }
        output.textContent = '';
        if (typed !== lines.at(-1))
            lines.push(typed);
        at = lines.length - 1;
        if (argv[0] !== command) {
            show(`${argv[0] ?? 'nothing'}: this page runs only ${command} and ` +
                 'its options; the rest needs the project on your machine\n');
            return;
        }
        let ended = false;
        const halt = start(program, argv, new Map(files), show,
            (status, written) => {
                ended = true;
                stop = null;
                add(written);
                if (status)
                    show(`exit status ${status}\n`);
                label();
            });
        stop = ended ? null : halt;
        label();
    };
    input.onkeydown = (event) => {
        const to = at + ({ ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0);
        if (to === at || !lines[to])
            return;
        event.preventDefault();
        at = to;
        input.value = lines[at];
    };
    const chosen = async (given) => add(new Map(await Promise.all(
        [...given].map(async (file) => [file.name,
            new Uint8Array(await file.arrayBuffer())]))));
    if (list) {
        const picker = element.querySelector('[type=file]');
        picker.onchange = () => chosen(picker.files);
        element.ondragover = (event) => event.preventDefault();
        element.ondrop = (event) => {
            event.preventDefault();
            chosen(event.dataTransfer.files);
        };
    }
}

/* --- Sliders: the traffic that `flash sweep` counts ------------------------ */

const SLIDERS = [
    ['n', 'N', [64, 128, 200, 251, 256, 384, 512, 768, 1024], 251],
    ['d', 'd', [8, 16, 32, 64, 128], 32],
    ['sram', 'M', [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536], 8192],
    ['br', 'Br', ['by M', 1, 4, 8, 16, 32, 64, 128], 'by M'],
    ['bc', 'Bc', ['by M', 1, 4, 8, 16, 32, 64, 128], 'by M'],
];
const number = (value) => Number(value).toLocaleString('en');

/* Returns the rows of a CSV table as objects. */
function table(csv) {
    const [names, ...rows] = csv.trim().split('\n').map((line) => line.split(','));
    return rows.map((row) => Object.fromEntries(
        row.map((cell, k) => [names[k], cell])));
}

/* Returns a bar for a step: what it reads and writes, and the formula's value. */
function bar(row, most) {
    const [read, written] = [row.hbm_read, row.hbm_written].map(Number);
    const width = (n) => `style="width:${100 * n / most}%"`;
    const tiles = row.Br ? `, tiles ${row.Br} × ${row.Bc}` : '';
    const accounts = ['init', 'L'].filter((name) => Number(row[name])).map(
        (name) => `, ${name} ${number(row[name])}`).join('');
    return `<dt>${row.step}${tiles}</dt>
        <dd><div class="sum"><i ${width(read)}></i>
        <i class="out" ${width(written)}></i></div>
        ${number(read)} read, ${number(written)} written${accounts}:
        <b>${number(read + written)}</b> elements; by the formula
        ${number(row.formula)}</dd>`;
}

function sliders(element) {
    const values = new Map(SLIDERS.map(([option, , , first]) => [option, first]));
    let stop = null, timer;

    element.innerHTML = `<div class="inputs">${SLIDERS.map(([option, name, all, first]) =>
        `<label>${name} <output>${first}</output><input type="range" min="0"
        max="${all.length - 1}" value="${all.indexOf(first)}"
        data-option="${option}"></label>`).join('')}</div>
        <p role="status">Move a slider: the program runs in this page, and counts.</p>
        <dl></dl>`;
    const [said, bars] = ['p', 'dl'].map((name) => element.querySelector(name));

    const run = () => {
        const tiled = values.get('br') !== 'by M' && values.get('bc') !== 'by M';
        const argv = ['./flash', 'sweep', '--steps', element.dataset.steps];
        let csv = '';
        values.forEach((value, option) => {
            const tile = option === 'br' || option === 'bc';
            if (tile ? tiled : !(tiled && option === 'sram'))
                argv.push(`--${option}`, `${value}`);
        });
        stop?.();
        said.textContent = argv.join(' ');
        stop = start('flash', argv, new Map(), (text) => { csv += text; },
            (status) => {
                stop = null;
                if (status === 130)
                    return;
                if (status) {
                    bars.textContent = csv;
                    return;
                }
                const rows = table(csv).filter((row) => row.formula);
                const most = Math.max(...rows.map((row) =>
                    Number(row.hbm_read) + Number(row.hbm_written)));
                bars.innerHTML = rows.map((row) => bar(row, most)).join('');
            });
    };
    element.oninput = ({ target }) => {
        const [option, , all] = SLIDERS.find(([key]) =>
            key === target.dataset.option);
        values.set(option, all[target.value]);
        target.previousElementSibling.textContent = all[target.value];
        clearTimeout(timer);
        timer = setTimeout(run, 200);
    };
}

document.querySelectorAll('.terminal').forEach(terminal);
document.querySelectorAll('.sliders').forEach(sliders);
})();
