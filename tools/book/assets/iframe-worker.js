/* The theme's search runs in a Worker. Browsers refuse Workers on file: pages.
 * On these pages this class replaces Worker; it runs the script in a hidden
 * frame. */
if (location.protocol === 'file:')
    window.Worker = class extends EventTarget {
        constructor(url) {
            super();
            this.frame = document.createElement('iframe');
            this.frame.hidden = true;
            document.documentElement.append(this.frame);
            const inner = this.frame.contentWindow;
            const script = inner.document.createElement('script');
            this.ready = new Promise((done) => { script.onload = done; });
            inner.postMessage = (data) => setTimeout(() => {
                const event = new MessageEvent('message', { data });
                this.dispatchEvent(event);
                this.onmessage?.(event);
            });
            script.src = new URL(url, location);
            inner.document.body.append(script);
        }

        postMessage(message) {
            const data = structuredClone(message);
            this.ready.then(() => this.frame.contentWindow?.dispatchEvent(
                new MessageEvent('message', { data })));
        }

        terminate() { this.frame.remove(); }
    };
