/* Runs the programs that are compiled to WebAssembly by the page's Worker, wasi.js,
 * and compares their output with that of this machine's programs. Times and the speed
 * of this machine are left out; errors may differ in their last digit.
 *
 *     node tools/book/test_wasi.js build
 */
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const vm = require('vm');

const build = process.argv[2];
const assets = `${build}/stage/assets/`;
const RUNS = {
    '01_naive_softmax': ['', '--trace', '--help', '--csv', '--nosuch'],
    '02_safe_softmax': ['', '--trace', '--help'],
    '03_online_softmax': ['', '--trace', '--help'],
    '04_tiled_attention': ['', '--trace', '--help', '--causal', '--n 0',
        '--n 64 --d 32 --seed 1 --sram 256 --step tiled_attention'],
    '05_flash1': ['', '--trace', '--help', '--causal --n 77 --nk 33 --d 7',
        '--n 200 --d 32 --sram 4096', '--n 5 --sram 3', '--n'],
    '06_flash2': ['', '--trace', '--help', '--n 200 --d 32 --sram 4096',
        '--n 33 --nk 70 --d 9 --causal --seed 3'],
    flash: ['', 'steps', 'attention --help', 'sweep --n 65 --d 16 --br 8 --bc 16',
        'softmax --in common/data/q.npy --out y.npy --lse l.npy',
        'attention --q common/data/q.npy --k common/data/k.npy --v ' +
            'common/data/v.npy --causal --step flash2 --out o.npy --lse l.npy',
        'judge o.npy --causal', 'judge o.npy', 'softmax --in no.npy --out y.npy',
        'precision attention --n 64,256 --types fp32,bf16 --bc 16 --csv'],
};

/* Replaces what may differ: times, the largest size, float64's own rounding, and the
 * errors of the steps whose vectors are as wide as the machine's. */
const plain = (text) => text
    .replace(/\d[\d.,]* (ns|us|ms|s)\b/g, 'TIME')
    .replace(/^(\w+(,[^,]*){21}),[\d.]+$/gm, '$1,TIME') /* of a sweep */
    .replace('18446744073709551615', '4294967295')
    .replace(/\d\.\d+e-1[5-7]|\b\de-1[5-7]/g, 'ROUNDING')
    .replace(/^(\w+_(lanes|simd)\b.*)\b\d\.\d+e-07/gm, '$1ERROR')
    .replace(/ +/g, ' ');
const NUMBER = /-?\d+\.\d+(e[-+]\d+)?|\d+e[-+]\d+/g;

/* True if the lines are equal, or differ only in the last digit of numbers that are
 * no counts. */
function same(a, b = '') {
    if (a.replace(NUMBER, '#') !== b.replace(NUMBER, '#'))
        return false;
    const [x, y] = [a, b].map((text) => text.match(NUMBER) ?? []);
    return x.every((s, k) => {
        const digits = s.replace(/e.*/, '').replace(/[^\d]/g, '').length;
        const unit = 10 ** -(digits - 1);
        return s === y[k] || (/e/.test(s) &&
            Math.abs(s - y[k]) <= 1.01 * unit * Math.max(Math.abs(s), Math.abs(y[k])));
    });
}

/* Returns the first line of a that is not the same in b, with b's; '' if there is none. */
function difference(a, b) {
    const [x, y] = [a, b].map((text) => plain(text).split('\n'));
    const k = x.findIndex((line, at) => !same(line, y[at]));
    return k < 0 && x.length === y.length ? '' :
        `${x[k] ?? '(nothing)'}\n   on this machine: ${y[k < 0 ? x.length : k]}`;
}

/* Runs a job as the page does. Returns { out, err, status, files }. */
function inPage(program, argv, files) {
    return new Promise((done) => {
        const result = { 1: '', 2: '' };
        const worker = vm.createContext({
            console, WebAssembly, TextDecoder, TextEncoder, performance,
            fetch: async (url) => new Response(fs.readFileSync(url)),
            XMLHttpRequest: class {
                open(method, url) { this.url = url; }

                send() {
                    this.status = fs.existsSync(this.url) ? 200 : 404;
                    if (this.status === 200)
                        this.response = new Uint8Array(
                            fs.readFileSync(this.url)).buffer;
                }
            },
            postMessage(data) {
                if ('exit' in data)
                    done({ out: result[1], err: result[2], status: data.exit,
                           files: data.files });
                else
                    result[data.fd] += data.text;
            },
        });
        vm.runInContext(fs.readFileSync(`${assets}wasi.js`, 'utf8'), worker);
        worker.onmessage({ data: { program: `${assets}wasm/${program}.wasm`, argv,
                                   data: `${assets}data/`, files } });
    });
}

(async () => {
    const work = fs.mkdtempSync('/tmp/wasi');
    const root = process.cwd();
    let passed = 0, failed = 0;

    fs.symlinkSync(`${root}/common`, `${work}/common`);
    for (const [program, lines] of Object.entries(RUNS)) {
        const kept = new Map();
        const folder = program === 'flash' ? 'tools/flash' : program;
        for (const line of lines) {
            const argv = line ? line.split(' ') : [];
            const native = spawnSync(`${root}/${build}/${folder}/run`, argv,
                { cwd: work, argv0: './run', encoding: 'utf8',
                  env: { ...process.env, OMP_NUM_THREADS: '1' } });
            const page = await inPage(program, ['./run', ...argv], new Map(kept));
            const wrong = [];
            if (page.status !== native.status)
                wrong.push(`exit status ${page.status}, not ${native.status}`);
            for (const [name, a, b] of [['stdout', page.out, native.stdout],
                                        ['stderr', page.err, native.stderr]])
                if (difference(a, b))
                    wrong.push(`${name}:\n  ${difference(a, b)}`);
            page.files.forEach((content, file) => {
                const at = `${work}/${file}`;
                kept.set(file, content);
                if (!fs.existsSync(at) || fs.statSync(at).size !== content.length)
                    wrong.push(`${file}: not as on this machine`);
            });
            wrong.length ? failed++ : passed++;
            if (wrong.length)
                console.log(`FAILED  ${program} ${line}: ${wrong.join('\n')}`);
        }
    }
    fs.rmSync(work, { recursive: true });
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed > 0 || !passed ? 1 : 0);
})();
