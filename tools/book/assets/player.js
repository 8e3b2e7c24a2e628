/* Plays traces that a program printed. All numbers are from the program's output.
 * <div class="player"> has a <pre> for each trace of 03, 04, 05, 06 or the backward
 * pass. Several traces are shown next to each other. Without scripts the traces are
 * plain text. Keys: left, right, Home, End. */
'use strict';
(() => {
const escaped = (s) => s.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
const cells = (line) => (line ?? '').trim().split(/\s{2,}/);
const percent = (part, whole) => `${100 * part / whole}%`;
const bar = (kind, part, whole) =>
    `<i class="${kind}" style="width:${percent(part, whole)}"></i>`;
/* The parts of an update, old · factor + new, in the colours of the formulas. */
const marked = (kind, text) => `<b class="${kind}">${text}</b>`;
const updates = (line) => escaped(line)
    .replace(/alpha = [^,]*/, (it) => marked('factor', it))
    .replace(/e\^\(x − m\) = .*/, (it) => marked('new', it))
    .replace(/^l = (\S+) · (\S+) \+ (\S+)/, (_, alpha, l, e) =>
        `l = ${marked('factor', alpha)} · ${marked('old', l)} + ${marked('new', e)}`);
const PARTS = { alpha: 'factor', beta: 'new', p: 'new' };
const last = (list) => list[list.length - 1];

/* --- Traces of 03: bars of scores, a line for m, a bar for l --------------- */

/* Returns one frame for each element, and one for the text after a table. */
function rowFrames(lines) {
    const frames = [];
    let title, parts = [], open; /* open: the frame to which text is added */
    lines.forEach((line, at) => {
        const [i, x, m, alpha, e, l] = cells(line), f = last(frames);
        if (cells(lines[at + 1])[0] === 'i')
            title = line;
        else if (i === 'i')
            parts.push([]);
        else if (l && parts.length) {
            const before = last(parts).length ? f.l : 0, part = last(parts);
            part.push({ i, x });
            frames.push({ title, part, nth: part.length - 1, m, l, before,
                fresh: e, at: [at], said: [
                    `alpha = ${alpha}, e^(x − m) = ${e}`,
                    `l = ${alpha} · ${before} + ${e} = ${l}`] });
        } else if (f && line && !line.startsWith('next')) {
            if (!open)
                frames.push(open = { ...f, nth: f.part.length, at: [], said: [],
                                     before: 0, fresh: 0 });
            const [, name, value] = line.match(/^([ml]) = .* = (\S+)$/) ?? [];
            if (name) /* the line merges two blocks */
                Object.assign(open, { [name]: value, title: 'both blocks',
                                      part: parts[0], nth: parts[0].length });
            open.at.push(at);
            open.said.push(line);
            return;
        }
        open = null;
    });
    const most = Math.max(...frames.map((f) => f.l));
    const high = 1.2 * Math.max(...frames.flatMap(({ part }) =>
        part.map((p) => p.x)));
    const score = (f) => ({ i, x }, k) =>
        `<div class="${k > f.nth ? 'later' : k === f.nth ? 'now' : ''}">
        <i style="height:${percent(x, high)}"></i><b>${x}</b>
        <small>x<sub>${i}</sub></small></div>`;
    return frames.map((f) => ({ ...f, html: `<p><b>${escaped(f.title)}</b></p>
        <div class="bars">${f.part.map(score(f)).join('')}
        <span style="--at:${f.m / high}">m = ${f.m}</span></div>
        <p>l = <b>${f.l}</b></p>
        <div class="sum"><u style="width:${percent(f.before, most)}"></u>
        ${bar('old', f.l - f.fresh, most)}${bar('new', f.fresh, most)}</div>
        <p>${f.said.map(updates).join('<br>')}</p>` }));
}

/* --- Traces of 04 to 06 and the backward pass: tiles, and HBM traffic ------ */

const SHOWN = ['query', 's', 'p', 'alpha', 'beta', 'm', 'l', 'o', 'dp', 'ds', 'dq'];
const KEPT = ['query', 'm', 'l', 'o', 'dq'];

/* Returns the lines of the tables for whose header `passes` returns true, each as
 * { at: line number, NAME OF COLUMN: cell, ... }. */
function records(lines, passes) {
    let names = null;
    return lines.flatMap((line, at) => {
        const is = cells(line);
        if (names?.length === is.length)
            return Object.fromEntries([['at', at],
                ...is.map((value, k) => [names[k], value])]);
        names = passes(is) ? is : null;
        return [];
    });
}

/* Returns the traffic through HBM as [line, nth, reads, writes, in, out]. The last
 * five are the last cells of a line of the widest table: "1  Q0 K0 V0  -  12  0". */
function crossings(lines) {
    const found = lines.map((line, at) => [at, cells(line)]).filter(([, is]) =>
        is.length % 5 === 0 && /^(-|[A-Z]\d)/i.test(is.at(-4)));
    const wide = Math.max(...found.map(([, is]) => is.length));
    return found.filter(([, is]) => is.length === wide)
        .map(([at, is]) => [at, ...is.slice(-5)]);
}

const chips = (list, kind) => list === '-' ? 'nothing' :
    list.replace(/(\w)(\d*)/g, `<i class="${kind}">$1<sub>$2</sub></i>`);

/* True for the header of the table of visits. */
const isHead = (is) => is.includes('(i,j)') || is.includes('keys');

/* Returns the frames of a trace with tiles. A bar of `most` elements is as wide as the
 * stage. */
function tileFrames(lines, most) {
    const rows = records(lines, isHead);
    const ends = records(lines, (is) => is[1] === 'o / l');
    const title = lines[lines.findIndex((line) => isHead(cells(line))) - 1];
    const tileOf = (r) => r['(i,j)'] ?? `(${r.query},${r.keys})`;
    const tiles = [...new Set(rows.map(tileOf))]; /* in the order of visits */
    const [is, js] = [0, 1].map((k) => [...new Set(tiles.map((t) =>
        t.slice(1, -1).split(',')[k]))].sort());
    const names = SHOWN.filter((name) => name in rows[0] &&
                               !(name === 'p' && 's' in rows[0]));
    const queries = [...new Set(rows.map((r) => r.query))].sort();
    const hbm = crossings(lines);
    const cell = (nth, now, done) => nth > done ? '<td></td>' :
        `<td class="${nth === now ? 'now' : 'seen'}">${nth}</td>`;
    const grid = (now, done) => `<table class="grid"><tr><th></th>
        ${js.map((j) => `<th>K<sub>${j}</sub></th>`).join('')}</tr>
        ${is.map((i) => `<tr><th>Q<sub>${i}</sub></th>${js.map((j) =>
            cell(tiles.indexOf(`(${i},${j})`) + 1, now, done)).join('')}</tr>`)
            .join('')}</table>`;

    /* Returns a table row for each query, with the values of its last visit. After O is
     * stored, the row has o / l instead. */
    const notes = (now, done, stored) => queries.map((query) => {
        const seen = tiles.slice(0, done);
        const r = rows.findLast((row) => row.query === query &&
                                seen.includes(tileOf(row))) ?? { query };
        const here = tileOf(r) === tiles[now - 1];
        const end = !here && stored.includes(tileOf(r).slice(1, 2)) &&
                    ends.find((row) => row.query === query);
        const text = (name) => end && name !== 'query' ?
            (name === 'o' ? end['o / l'] : '') :
            (here || KEPT.includes(name)) && r[name] || '';
        return `<tr class="${here ? 'now' : ''}">${names.map((name) =>
            `<td class="${PARTS[name] ?? ''}">${text(name)}</td>`).join('')}</tr>`;
    }).join('');

    const frame = (line, now, done, label, crossed) => {
        const stored = hbm.filter(([at]) => at <= line).flatMap((h) =>
            [...h[3].matchAll(/O(\d)/g)].map((m) => m[1]));
        const [, , reads, writes, into, out] = crossed ?? [];
        const sum = `${into} elements read, ${out} written`;
        return {
            at: [line, ...rows.filter((r) => tileOf(r) === tiles[now - 1])
                .map((r) => r.at)],
            said: [label, ...crossed ?
                [`reads ${reads}`, `writes ${writes}`, sum] : []],
            html: `<p><b>${escaped(title)}</b></p>
            <div class="pair">${grid(now, done)}<p>${label}${crossed ? `
                <br>reads ${chips(reads, 'chip')}
                <br>writes ${chips(writes, 'chip out')}` : ''}</p></div>
            ${crossed ? `<p>${sum}</p><div class="sum">${bar('', into, most)}
                ${bar('out', out, most)}</div>` : ''}
            <table class="notes"><tr>${names.map((name) =>
                `<th class="${PARTS[name] ?? ''}">${name}</th>`).join('')}</tr>
            ${notes(now, done, stored)}</table>` };
    };
    if (!hbm.length)
        return tiles.map((tile, k) => frame(rows.find((r) => tileOf(r) === tile)
            .at, k + 1, k + 1, `visit ${k + 1}`));
    if (ends.length) /* adds a frame for o / l */
        hbm.push(last(hbm).with(1, 'L').with(2, '-').with(3, '-'));
    return hbm.map((h) => h[1] === 'L' ?
        frame(h[0], 0, tiles.length, 'after the visits', h) :
        frame(h[0], +h[1], +h[1], +h[1] ? `visit ${h[1]}` : 'first values', h));
}

/* --- Any trace ------------------------------------------------------------- */

function play(player) {
    const elements = Math.max(...[...player.textContent.matchAll(
        /(\d+) elements read, (\d+) written/g)].map((m) => +m[1] + +m[2]));
    const traces = [...player.querySelectorAll('pre')].map((pre) => {
        const code = pre.querySelector('code') ?? pre;
        const lines = code.textContent.trimEnd().split('\n');
        code.innerHTML = lines.map((line) =>
            `<span>${escaped(line)}\n</span>`).join('');
        return { code, frames: lines.some((s) => /^i  /.test(s)) ?
            rowFrames(lines) : tileFrames(lines, elements) };
    });
    const most = Math.max(...traces.map((trace) => trace.frames.length));
    let k = 0;
    player.insertAdjacentHTML('afterbegin', `<div class="stage"></div>
        <p class="keys"><button type="button">◀ Back</button>
        <button type="button">Forward ▶</button><span></span>
        <output></output></p>`);
    const [stage, back, forward, place, spoken] =
        player.querySelectorAll('.stage, button, .keys span, output');
    const show = (to) => {
        k = Math.max(0, Math.min(most - 1, to));
        const now = traces.map(({ frames }) => frames[k] ??
            { ...last(frames), at: [], said: ['done'] });
        stage.innerHTML = now.map((f) => `<section>${f.html}</section>`).join('');
        place.textContent = `${k + 1} of ${most}`;
        spoken.textContent = now.flatMap((f) => f.said).join('. ');
        back.setAttribute('aria-disabled', k === 0);
        forward.setAttribute('aria-disabled', k === most - 1);
        traces.forEach(({ code }, t) => [...code.children].forEach((line, at) =>
            line.classList.toggle('now', now[t].at.includes(at))));
    };
    back.onclick = () => show(k - 1);
    forward.onclick = () => show(k + 1);
    player.addEventListener('keydown', (e) => {
        const to = { ArrowLeft: k - 1, ArrowRight: k + 1, Home: 0,
                     End: most }[e.key];
        if (to === undefined || e.altKey || e.ctrlKey || e.target.closest('pre'))
            return;
        e.preventDefault();
        show(to);
    });
    show(0);
}

addEventListener('DOMContentLoaded', () =>
    document.querySelectorAll('.player').forEach(play));
})();
