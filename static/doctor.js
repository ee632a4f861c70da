// The doctor's checks that only a browser can run. Without this script the page is complete, and these checks stay
// "unknown"; each check here sets the result of its row, with the lines to add.
//
// It needs no Trusted Types policy: all output is set as text.
(() => {
  const { report, session, integrity, pinned, wasm, sent, places } = JSON.parse(document.getElementById('doctor-data').textContent);
  const WORDS = { ok: 'Fine', warn: 'Look', fail: 'Fix', unknown: 'Unknown' };
  const FRAME_TIMEOUT = 20_000; // ms; checkout.js reports errors within 15 s
  const SOCKET_TIMEOUT = 15_000; // ms
  const WASM_TIMEOUT = 45_000; // ms to load and start app.wasm
  const MAX_SKEW = 300_000, MIN_SKEW = 30_000; // ms; webhooks and order tokens tolerate five minutes

  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  const make = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };

  // --- Output --------------------------------------------------------------------------------------------------------

  // A line to add, with a copy button.
  const lineToAdd = (text) => make('div', {}, make('pre', {}, make('code', { textContent: text })), copyButton(() => text));

  const copyButton = (text) => make('button', {
    type: 'button', className: 'copy', textContent: 'Copy',
    async onclick({ currentTarget: button }) {
      const copied = await navigator.clipboard?.writeText(text()).then(() => true, () => false);
      if (!copied) getSelection().selectAllChildren(button.previousElementSibling); // for Ctrl+C
      button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => { button.textContent = 'Copy'; }, 3000);
    },
  });

  // The server's lines to add get copy buttons.
  for (const pre of document.querySelectorAll('.add > pre')) {
    const text = pre.textContent;
    const button = copyButton(() => pre.textContent);
    const box = make('div');
    pre.replaceWith(box);
    box.append(pre, button);
    button.ariaLabel = text ? 'Copy ' + text : 'Copy the report';
  }

  // setResult stores the result of a check in the report and in its row.
  function setResult(id, status, detail, place, ...add) {
    const check = report.checks.find((one) => one.id === id);
    Object.assign(check, { status, detail, place, add });
    const row = part('doctor-check-' + id);
    if (status !== 'unknown') delete row.dataset.trying;
    row.dataset.status = status;
    row.querySelector('.word').textContent = row.dataset.trying ? 'Checking' : WORDS[status];
    row.querySelector('.detail').textContent = detail;
    const lines = row.querySelector('.add');
    lines.hidden = add.length === 0;
    lines.replaceChildren(...add.map(lineToAdd));
    updateSummary();
  }

  // updateSummary updates the lines to add, the verdict and the JSON from the checks.
  function updateSummary() {
    report.add = {};
    for (const { status, place, add } of report.checks) {
      if (status === 'ok') continue;
      for (const text of add) if (!(report.add[place] ??= []).includes(text)) report.add[place].push(text);
    }
    part('doctor-json').textContent = JSON.stringify(report, null, 2);
    part('doctor-todo').hidden = Object.keys(report.add).length === 0;
    document.querySelector('.places').replaceChildren(...Object.keys(places).filter((place) => report.add[place]?.length).map((place) => {
      const box = make('div', { className: 'place' }, make('h3', { textContent: places[place] }),
        make('div', { className: 'add' }, ...report.add[place].map(lineToAdd)));
      box.dataset.part = 'doctor-add-' + place;
      return box;
    }));
    updateVerdict();
  }

  function updateVerdict() {
    const count = (status) => report.checks.filter((check) => check.status === status).length;
    const trying = document.querySelectorAll('[data-trying]').length;
    const [fail, warn, ok, unknown] = ['fail', 'warn', 'ok', 'unknown'].map(count);
    const things = fail === 1 ? 'One thing' : fail + ' things';
    const status = fail ? 'fail' : trying ? 'unknown' : warn ? 'warn' : 'ok';
    const warnings = warn === 1 ? '1 warning' : warn + ' warnings';
    const titles = { fail: things + ' to fix', unknown: 'Checking …', warn: 'It works, with ' + warnings, ok: report.origin ? 'All is well' : 'The checkout is well. Which page will show it?' };
    const box = part('doctor-verdict');
    if (box.dataset.status !== status || fail) box.querySelector('h1').textContent = titles[status];
    box.dataset.status = status;
    box.dataset.done = String(trying === 0);
    const tally = box.querySelector('.tally');
    tally.hidden = false;
    tally.textContent = [ok && ok + ' fine', warn && warnings, fail && fail + ' to fix', unknown && unknown + ' unknown'].filter(Boolean).join(' · ');
  }

  // --- Checks --------------------------------------------------------------------------------------------------------

  const delay = (time, value) => new Promise((done) => { setTimeout(done, time, value); });
  const request = (path, options) => fetch(path, { cache: 'no-store', credentials: 'omit', ...options });
  const page = `/checkout/${session}?${new URLSearchParams({ embed: 'inline', origin: location.origin, lang: 'en' })}`;
  const framed = request(page, { headers: { Accept: 'text/html' } });
  const script = request('/checkout.js');
  const program = wasm ? request(wasm, { method: 'HEAD' }) : Promise.resolve();
  const loaded = new Promise((done) => {
    document.readyState === 'complete' ? done() : addEventListener('load', done, { once: true });
  });
  const answers = () => Promise.all([framed, script, program]);
  for (const answer of [framed, script, program]) answer.catch(() => {}); // each check reports failures itself

  // The directives of a policy by name. Several policies are separated by commas.
  const directives = (policy) => new Map(policy.split(';').map((text) => text.trim()).filter(Boolean)
    .map((text) => [text.split(/\s/, 1)[0], text]));

  function address() {
    if (location.origin === report.server) return setResult('address', 'ok', `Your browser reaches the checkout at ${report.server}, as configured.`);
    setResult('address', 'fail', `Your browser uses ${location.origin}, but the server is configured as ${report.server}: frames and sockets fail between two origins.`,
      'coinslot', 'COINSLOT_PUBLIC_URL=' + location.origin);
  }

  // The page contains the script tag of merchants: inserting it would need a Trusted Types policy.
  async function loader() {
    await loaded;
    if (!customElements.get('coinslot-checkout')) {
      const answer = await script;
      const kind = answer.headers.get('Content-Type');
      return setResult('script', 'fail', answer.ok ? `checkout.js has the type ${kind}, and did not run.` : `The server answered ${answer.status} for checkout.js.`,
        'proxy', 'Content-Type: text/javascript; charset=utf-8');
    }
    const hash = await hashOf(await (await script).clone().arrayBuffer());
    if (hash && integrity && hash !== integrity) {
      return setResult('script', 'fail', 'checkout.js runs, but differs from what the server sent: a proxy rewrites scripts. Browsers refuse a pinned tag then.',
        'proxy', 'Cache-Control: no-transform');
    }
    const old = integrity && !(await request(pinned, { method: 'HEAD' })).ok;
    if (old) return setResult('script', 'fail', `checkout.js runs, but its pinned URL ${pinned} cannot be loaded.`, 'proxy', 'location /checkout/ { proxy_pass …; }');
    setResult('script', 'ok', `checkout.js ${Coinslot.version} runs${hash && integrity ? ', and is byte for byte what the server sent' : ''}.`);
  }

  async function hashOf(content) {
    if (!crypto.subtle) return ''; // needs a secure context
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-384', content));
    return 'sha384-' + btoa(String.fromCharCode(...sum));
  }

  // frame opens a checkout of an unknown session in the element that merchants use. Its frame reports that by its code.
  async function frame() {
    await loaded;
    if (!customElements.get('coinslot-checkout')) return setResult('frame', 'fail', 'A frame needs checkout.js, which does not run.');
    const element = document.createElement('coinslot-checkout');
    const heard = new Promise((done) => {
      element.addEventListener('coinslot-ready', () => done('ready'));
      element.addEventListener('coinslot-error', ({ detail }) => done(detail.code));
    });
    for (const [name, value] of Object.entries({ session, prewarm: 'load', lang: 'en' })) element.setAttribute(name, value);
    element.append(make('a', { href: '/checkout/' + session, textContent: 'The same page on its own' }));
    document.getElementById('trial').append(element);
    const code = await Promise.race([heard, delay(FRAME_TIMEOUT, 'timeout')]);
    if (!['csp_frame_src', 'frame_blocked', 'timeout', 'offline', 'origin_refused'].includes(code)) {
      return setResult('frame', 'ok', 'A frame of the checkout loads and communicates with this page.');
    }
    const answer = await framed.catch(() => null);
    const by = answer?.headers.get('X-Frame-Options');
    setResult('frame', 'fail', by ? `X-Frame-Options: ${by} blocks the frame (${code}).` : `A frame of the checkout does not answer (${code}).`,
      'proxy', ...by ? ['proxy_hide_header X-Frame-Options;'] : []);
  }

  async function csp() {
    const { headers } = await framed, got = headers.get('Content-Security-Policy') ?? '';
    const want = directives(sent['Content-Security-Policy']), have = directives(got.split(',', 1)[0]);
    want.delete('frame-ancestors'); // differs between pages
    const wrong = [...want].filter(([name, text]) => have.get(name) !== text).map(([, text]) => text);
    if (!got) return setResult('csp', 'fail', 'The Content-Security-Policy of the checkout\'s pages is missing: a proxy removes it.', 'proxy', 'proxy_pass_header Content-Security-Policy;');
    if (got.includes(',')) return setResult('csp', 'fail', `A proxy adds a second Content-Security-Policy, and both apply: ${got.slice(got.indexOf(',') + 1).trim()}`, 'proxy', 'proxy_pass_header Content-Security-Policy;');
    if (wrong.length) return setResult('csp', 'fail', 'A proxy changes the Content-Security-Policy of the checkout\'s pages. The server sent:', 'proxy', ...wrong);
    if (!have.has('frame-ancestors')) return setResult('csp', 'fail', 'The Content-Security-Policy has no frame-ancestors any more: any page may show the checkout.', 'proxy', 'proxy_pass_header Content-Security-Policy;');
    setResult('csp', 'ok', 'The Content-Security-Policy of the checkout\'s pages arrives unchanged.');
  }

  async function coep() {
    const [{ headers }, ...others] = await answers();
    const lost = [];
    for (const name of ['Cross-Origin-Embedder-Policy', 'Cross-Origin-Resource-Policy']) {
      if (headers.get(name) !== sent[name]) lost.push(`${name}: ${sent[name]}`);
    }
    const apart = others.filter((answer) => answer && answer.headers.get('Cross-Origin-Resource-Policy') !== 'cross-origin');
    if (apart.length) lost.push('Cross-Origin-Resource-Policy: cross-origin');
    if (lost.length) {
      return setResult('coep', 'fail', 'Pages with a Cross-Origin-Embedder-Policy cannot show the checkout: a proxy removes these headers.', 'proxy', ...new Set(lost));
    }
    setResult('coep', 'ok', 'Pages with a Cross-Origin-Embedder-Policy, such as this one, can show the checkout.');
  }

  async function framing() {
    const values = (await answers()).map((answer) => answer?.headers.get('X-Frame-Options')).filter(Boolean);
    if (values.length) {
      return setResult('framing', 'fail', `A proxy adds X-Frame-Options: ${values[0]}. The server sends none: its Content-Security-Policy lists the allowed pages. Browsers prefer that if it arrives, but older ones show no frame.`, 'proxy', 'proxy_hide_header X-Frame-Options;');
    }
    setResult('framing', 'ok', 'No proxy adds X-Frame-Options.');
  }

  async function cache() {
    const [one, , file] = await answers();
    const kept = one.headers.get('Cache-Control') ?? '';
    if (!/\bno-store\b/.test(kept)) {
      return setResult('cache', 'fail', `Payment pages arrive with Cache-Control: ${kept || 'nothing'}. A cache may show one shopper's payment to another.`, 'proxy', 'Cache-Control: ' + sent['Cache-Control']);
    }
    if (file && !/\bimmutable\b/.test(file.headers.get('Cache-Control') ?? '')) {
      return setResult('cache', 'warn', 'Files with a hash in their name arrive without "immutable": browsers request them again each time.', 'proxy', 'Cache-Control: public, max-age=31536000, immutable');
    }
    setResult('cache', 'ok', 'No cache stores payment pages, and browsers keep files with a hash in their name.');
  }

  async function webassembly() {
    if (!wasm) return setResult('wasm', 'warn', 'The server was built without WebAssembly. The checkout works as plain HTML.');
    try {
      new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); // the smallest module
    } catch (cause) {
      return setResult('wasm', 'fail', `The browser refuses WebAssembly: ${cause.message}`, 'proxy', directives(sent['Content-Security-Policy']).get('script-src'));
    }
    const { ok, status, headers } = await program;
    const kind = headers.get('Content-Type'), coding = headers.get('Content-Encoding');
    if (!ok) return setResult('wasm', 'fail', `The server answered ${status} for app.wasm.`);
    if (kind !== 'application/wasm') {
      return setResult('wasm', 'fail', `app.wasm has the type ${kind || '(none)'}: browsers cannot compile it while it loads.`, 'proxy', 'Content-Type: application/wasm');
    }
    if (!coding) return setResult('wasm', 'fail', 'app.wasm arrives uncompressed, several times as large: a proxy decompresses it or removes Accept-Encoding.',
      'proxy', 'proxy_set_header Accept-Encoding $http_accept_encoding;');
    setResult('wasm', 'unknown', `WebAssembly compiles, and app.wasm arrives compressed (${coding}). Waiting for it to start.`);
    const end = await waitForProgram();
    if (end === 'wasm') return setResult('wasm', 'ok', `WebAssembly compiles, and app.wasm arrives compressed (${coding}) and runs in the frame.`);
    setResult('wasm', end === 'failed' ? 'fail' : 'warn', end === 'failed' ? 'app.wasm arrives, but did not start in the frame. See the browser console.'
      : `app.wasm arrives compressed (${coding}), but did not run in the frame within ${WASM_TIMEOUT / 1000} s.`);
  }

  // waitForProgram waits until the program runs in the frame, or has failed.
  async function waitForProgram() {
    for (const end = performance.now() + WASM_TIMEOUT; performance.now() < end; await delay(200)) {
      let inside;
      try {
        inside = document.querySelector('coinslot-checkout')?.shadowRoot?.querySelector('iframe')?.contentDocument;
      } catch {
        continue; // the frame shows the browser's error page
      }
      if (inside?.getElementById('coinslot')?.dataset.live === 'wasm') return 'wasm';
      if (inside?.documentElement?.dataset.wasm === 'failed') return 'failed';
    }
  }

  function storage() {
    try {
      localStorage.length;
    } catch {
      return setResult('storage', 'warn', 'This browser has no storage even here. The checkout works without it: it stores nothing in the browser.');
    }
    setResult('storage', 'ok', 'Storage works here. In pages of other sites the browser may block it; the checkout works without it.');
  }

  async function websocket() {
    const word = 'coinslot ' + Math.random().toString(36).slice(2);
    const socket = new WebSocket(location.origin.replace('http', 'ws') + '/checkout/doctor/live');
    const answer = new Promise((done) => {
      socket.onopen = () => socket.send(word);
      socket.onmessage = ({ data }) => done(data);
      socket.onclose = () => done();
    });
    const got = await Promise.race([answer, delay(SOCKET_TIMEOUT)]);
    socket.close();
    if (got === word) return setResult('websocket', 'ok', 'A websocket opens and carries messages both ways.');
    setResult('websocket', 'fail', 'Websockets are blocked. The checkout works, but polls every few seconds instead.',
      'proxy', 'proxy_http_version 1.1;', 'proxy_set_header Upgrade $http_upgrade;', 'proxy_set_header Connection "upgrade";');
  }

  // Order tokens and webhooks depend on clocks. The countdown does not: the server sends the time left.
  async function clock() {
    const asked = Date.now(), answer = await request('/checkout/doctor?format=json'), here = (asked + Date.now()) / 2;
    const header = Date.parse(answer.headers.get('Date') ?? ''), server = Date.parse((await answer.json()).time);
    const worst = [header - here, server - here].filter(Number.isFinite).sort((a, b) => Math.abs(b) - Math.abs(a))[0] ?? 0;
    if (Math.abs(worst) <= MIN_SKEW) return setResult('clock', 'ok', 'Server and browser agree on the time.');
    const apart = Math.abs(worst) > 120_000 ? Math.round(Math.abs(worst) / 60_000) + ' minutes' : Math.round(Math.abs(worst) / 1000) + ' s';
    const who = Math.abs(server - here) > MIN_SKEW ? 'the server\'s clock' : 'the Date header';
    setResult('clock', Math.abs(worst) > MAX_SKEW ? 'fail' : 'warn', `${who[0].toUpperCase() + who.slice(1)} is ${apart} ${worst > 0 ? 'ahead of' : 'behind'} this browser's. ` +
      'Countdowns are right, but order tokens expire at the wrong time, and receivers refuse webhooks that are five minutes off.', 'machine', 'timedatectl set-ntp true');
  }

  // --- Start ---------------------------------------------------------------------------------------------------------

  const checks = { address, script: loader, frame, csp, coep, framing, cache, wasm: webassembly, storage, websocket, clock };
  for (const id in checks) {
    const row = part('doctor-check-' + id);
    row.dataset.trying = '1';
    row.querySelector('.word').textContent = 'Checking';
    row.querySelector('.detail').textContent = '…';
  }
  updateSummary();
  for (const [id, check] of Object.entries(checks)) {
    Promise.resolve().then(check).catch((cause) => setResult(id, 'fail', `The check failed: ${cause.message}`));
  }
})();
