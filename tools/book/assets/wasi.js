/* A Worker that runs one program, compiled to WebAssembly, and supplies the system
 * calls of WASI that it imports. Files are in memory: those that the page sends, and
 * those of common/data, which are loaded when the program opens them.
 *
 * Takes { program: URL, data: URL of common/data, argv: [name, ...], files: Map }.
 * Posts { fd, text } for each write to stdout (1) and stderr (2), and in the end
 * { exit: status, files: Map of the files that the program wrote }. */
'use strict';
(() => {
const SUCCESS = 0, BADF = 8, EXIST = 20, NOENT = 44, SPIPE = 29; /* WASI's errno */
const DIRECTORY = 3, REGULAR = 4; /* file types */
const ROOT = 3; /* the descriptor of the only folder */
const CREATE = 1, EXCLUSIVE = 4, TRUNCATE = 8; /* flags of path_open */

class Exit extends Error {
    constructor(status) {
        super(`exit ${status}`);
        this.status = status;
    }
}

/* Returns the bytes at url, or undefined. A system call cannot wait for a promise. */
function load(url) {
    const request = new XMLHttpRequest();
    request.open('GET', url, false);
    request.responseType = 'arraybuffer';
    request.send();
    return request.status === 200 ? new Uint8Array(request.response) : undefined;
}

/* Returns the system calls for a program. `memory` returns its memory. */
function calls({ argv, files, data }, memory, written) {
    const open = [null, null, null, null]; /* files: { path, data, at } */
    const inodes = []; /* the paths of the files that the program has asked about */
    const decoders = [1, 2].map(() => new TextDecoder());
    const bytes = () => new Uint8Array(memory().buffer);
    const view = () => new DataView(memory().buffer);
    const set32 = (at, value) => view().setUint32(at, value, true);
    const text = (at, n) => new TextDecoder().decode(bytes().slice(at, at + n));
    const path = (at, n) => text(at, n).replace(/^(\.?\/)+/, '');
    const args = argv.map((arg) => new TextEncoder().encode(`${arg}\0`));
    /* Returns the parts of memory that an array of n buffers describes. */
    const parts = (at, n) => Array.from({ length: n }, (_, k) => {
        const [from, size] = [0, 4].map((o) => view().getUint32(at + 8 * k + o, true));
        return bytes().subarray(from, from + size);
    });
    const find = (name) => {
        if (!files.has(name) && name.startsWith('common/data/')) {
            const found = load(data + name.slice('common/data/'.length));
            if (found)
                files.set(name, found);
        }
        return files.get(name);
    };
    const keep = (name, content) => {
        files.set(name, content);
        written.add(name);
    };
    /* The number of a file, by which a program sees that two paths are one file. */
    const inode = (name) => BigInt(inodes.push(name) && inodes.indexOf(name) + 1);
    const drop = (name) => {
        written.delete(name);
        return files.delete(name) ? SUCCESS : NOENT;
    };

    /* Appends `part` to an open file, or replaces what is there. */
    const put = (file, part) => {
        const old = files.get(file.path);
        const end = file.at + part.length;
        const content = new Uint8Array(Math.max(old.length, end));
        content.set(old);
        content.set(part, file.at);
        keep(file.path, content);
        file.at = end;
    };

    return {
        args_sizes_get(count, size) {
            set32(count, args.length);
            set32(size, args.reduce((sum, arg) => sum + arg.length, 0));
            return SUCCESS;
        },
        args_get(pointers, at) {
            args.forEach((arg, k) => {
                set32(pointers + 4 * k, at);
                bytes().set(arg, at);
                at += arg.length;
            });
            return SUCCESS;
        },
        environ_sizes_get(count, size) {
            set32(count, 0);
            set32(size, 0);
            return SUCCESS;
        },
        environ_get: () => SUCCESS,
        clock_time_get(clock, precision, at) {
            const now = BigInt(Math.round(performance.now() * 1e6));
            view().setBigUint64(at, now, true);
            return SUCCESS;
        },
        fd_write(fd, at, n, size) {
            const all = parts(at, n);
            for (const part of all)
                if (fd === 1 || fd === 2)
                    postMessage({ fd, text: decoders[fd - 1].decode(
                        part.slice(), { stream: true }) });
                else if (open[fd])
                    put(open[fd], part);
                else
                    return BADF;
            set32(size, all.reduce((sum, part) => sum + part.length, 0));
            return SUCCESS;
        },
        fd_read(fd, at, n, size) {
            const file = open[fd];
            let sum = 0;
            if (!file)
                return BADF;
            for (const part of parts(at, n)) {
                const from = files.get(file.path).subarray(file.at).subarray(
                    0, part.length);
                part.set(from);
                file.at += from.length;
                sum += from.length;
            }
            set32(size, sum);
            return SUCCESS;
        },
        fd_seek(fd, offset, whence, at) {
            const file = open[fd];
            if (!file)
                return SPIPE;
            file.at = Number(offset) +
                [0, file.at, files.get(file.path).length][whence];
            view().setBigUint64(at, BigInt(file.at), true);
            return SUCCESS;
        },
        fd_close(fd) {
            open[fd] = undefined;
            return SUCCESS;
        },
        fd_fdstat_get(fd, at) {
            if (open[fd] === undefined)
                return BADF;
            bytes().fill(0, at, at + 24);
            bytes()[at] = fd === ROOT ? DIRECTORY : REGULAR;
            bytes().fill(255, at + 8, at + 24); /* all rights */
            return SUCCESS;
        },
        fd_fdstat_set_flags: () => SUCCESS,
        fd_prestat_get(fd, at) {
            if (fd !== ROOT)
                return BADF;
            set32(at, 0);
            set32(at + 4, 1); /* the length of "." */
            return SUCCESS;
        },
        fd_prestat_dir_name(fd, at) {
            bytes()[at] = '.'.charCodeAt(0);
            return SUCCESS;
        },
        path_filestat_get(fd, flags, at, n, to) {
            const found = find(path(at, n));
            if (!found)
                return NOENT;
            bytes().fill(0, to, to + 64);
            view().setBigUint64(to + 8, inode(path(at, n)), true);
            bytes()[to + 16] = REGULAR;
            view().setBigUint64(to + 32, BigInt(found.length), true);
            return SUCCESS;
        },
        path_open(fd, follow, at, n, how, rights, inherited, flags, to) {
            const name = path(at, n);
            const found = find(name);
            if (!found && !(how & CREATE))
                return NOENT;
            if (found && how & EXCLUSIVE)
                return EXIST;
            if (!found || how & TRUNCATE)
                keep(name, new Uint8Array());
            set32(to, open.push({ path: name, at: 0 }) - 1);
            return SUCCESS;
        },
        path_rename(fd, at, n, toFd, toAt, toN) {
            const content = find(path(at, n));
            if (!content)
                return NOENT;
            drop(path(at, n));
            keep(path(toAt, toN), content);
            return SUCCESS;
        },
        path_unlink_file: (fd, at, n) => drop(path(at, n)),
        path_remove_directory: () => NOENT,
        proc_exit(status) { throw new Exit(status); },
    };
}

onmessage = async ({ data: job }) => {
    const written = new Set();
    let memory, status = 0;
    try {
        const answer = await fetch(job.program);
        if (!answer.ok)
            throw new Error(`${job.program}: not found`);
        const { instance } = await WebAssembly.instantiate(
            await answer.arrayBuffer(), { wasi_snapshot_preview1:
                calls(job, () => memory, written) });
        memory = instance.exports.memory;
        instance.exports._start();
    } catch (error) {
        status = error.status ?? 134;
        if (!(error instanceof Exit))
            postMessage({ fd: 2, text: `${job.argv[0]}: ${error.message}\n` });
    }
    postMessage({ exit: status, files: new Map([...written].map((name) =>
        [name, job.files.get(name)])) });
};
})();
