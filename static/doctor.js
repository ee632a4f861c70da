// The doctor's eyes: what only a browser can tell of a deployment. The page around it is complete without this script;
// each check here takes one row of it from "unknown" to what was found, with the lines to add.
//
// It needs no Trusted Types policy: all that it shows is set as text.
(() => {
  const { report, session, integrity, pinned, wasm, sent, places } = JSON.parse(document.getElementById('doctor-data').textContent);
  const WORDS = { ok: 'Fine', warn: 'Look', fail: 'Fix', unknown: 'Unknown' };
  const HELLO = 20_000; // ms until a frame is given up; the loader says more within 15 s
  const ECHO = 15_000; // ms for the socket
  const LIVE = 45_000; // ms for the program to arrive and run
  const SKEW = 300_000, DRIFT = 30_000; // ms; webhooks and order tokens bear five minutes

  const part = (name) => document.querySelector(`[data-part="${name}"]`);
  const make = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };

  // --- What is shown -------------------------------------------------------------------------------------------------

  // line is a line to add with its button.
  const line = (text) => make('div', {}, make('pre', {}, make('code', { textContent: text })), copier(() => text));

  const copier = (text) => make('button', {
    type: 'button', className: 'copy', textContent: 'Copy',
    async onclick({ currentTarget: button }) {
      const done = await navigator.clipboard?.writeText(text()).then(() => true, () => false);
      if (!done) getSelection().selectAllChildren(button.previousElementSibling); // for Ctrl+C
      button.textContent = done ? 'Copied' : 'Press Ctrl+C';
      setTimeout(() => { button.textContent = 'Copy'; }, 3000);
    },
  });

  // dress gives the lines that the server has written their buttons.
  for (const pre of document.querySelectorAll('.add > pre')) {
    const text = pre.textContent;
    const button = copier(() => pre.textContent);
    const box = make('div');
    pre.replaceWith(box);
    box.append(pre, button);
    button.ariaLabel = text ? 'Copy ' + text : 'Copy the report';
  }

  // found settles a check: in the report and in its row.
  function found(id, status, detail, place, ...add) {
    const check = report.checks.find((one) => one.id === id);
    Object.assign(check, { status, detail, place, add });
    const row = part('doctor-check-' + id);
    if (status !== 'unknown') delete row.dataset.trying;
    row.dataset.status = status;
    row.querySelector('.word').textContent = row.dataset.trying ? 'Trying' : WORDS[status];
    row.querySelector('.detail').textContent = detail;
    const lines = row.querySelector('.add');
    lines.hidden = add.length === 0;
    lines.replaceChildren(...add.map(line));
    sum();
  }

  // sum brings the lines to add, the verdict and the JSON in line with the checks.
  function sum() {
    report.add = {};
    for (const { status, place, add } of report.checks) {
      if (status === 'ok') continue;
      for (const text of add) if (!(report.add[place] ??= []).includes(text)) report.add[place].push(text);
    }
    part('doctor-json').textContent = JSON.stringify(report, null, 2);
    part('doctor-todo').hidden = Object.keys(report.add).length === 0;
    document.querySelector('.places').replaceChildren(...Object.keys(places).filter((place) => report.add[place]?.length).map((place) => {
      const box = make('div', { className: 'place' }, make('h3', { textContent: places[place] }),
        make('div', { className: 'add' }, ...report.add[place].map(line)));
      box.dataset.part = 'doctor-add-' + place;
      return box;
    }));
    verdict();
  }

  function verdict() {
    const count = (status) => report.checks.filter((check) => check.status === status).length;
    const trying = document.querySelectorAll('[data-trying]').length;
    const [fail, warn, ok, unknown] = ['fail', 'warn', 'ok', 'unknown'].map(count);
    const things = fail === 1 ? 'One thing' : fail + ' things';
    const status = fail ? 'fail' : trying ? 'unknown' : warn ? 'warn' : 'ok';
    const says = { fail: things + ' to fix', unknown: 'Looking …', warn: 'It works, with ' + (warn === 1 ? 'one thing' : warn + ' things') + ' to look at', ok: report.origin ? 'All is well' : 'The checkout is well; which is your page?' };
    const box = part('doctor-verdict');
    if (box.dataset.status !== status || fail) box.querySelector('h1').textContent = says[status];
    box.dataset.status = status;
    box.dataset.done = String(trying === 0);
    const tally = box.querySelector('.tally');
    tally.hidden = false;
    tally.textContent = [ok && ok + ' fine', warn && warn + ' to look at', fail && fail + ' to fix', unknown && unknown + ' not known'].filter(Boolean).join(' · ');
  }

  // --- What is looked at ---------------------------------------------------------------------------------------------

  const after = (time, value) => new Promise((done) => { setTimeout(done, time, value); });
  const look = (path, options) => fetch(path, { cache: 'no-store', credentials: 'omit', ...options });
  const page = `/checkout/${session}?${new URLSearchParams({ embed: 'inline', origin: location.origin, lang: 'en' })}`;
  const framed = look(page, { headers: { Accept: 'text/html' } });
  const script = look('/checkout.js');
  const program = wasm ? look(wasm, { method: 'HEAD' }) : Promise.resolve();
  const loaded = new Promise((done) => {
    document.readyState === 'complete' ? done() : addEventListener('load', done, { once: true });
  });
  const answers = () => Promise.all([framed, script, program]);
  for (const answer of [framed, script, program]) answer.catch(() => {}); // each check says so itself

  // The headers of a policy by directive; several policies are told by their comma.
  const directives = (policy) => new Map(policy.split(';').map((text) => text.trim()).filter(Boolean)
    .map((text) => [text.split(/\s/, 1)[0], text]));

  function address() {
    if (location.origin === report.server) return found('address', 'ok', `Your browser reaches the checkout at ${report.server}, as it is set.`);
    found('address', 'fail', `Your browser is at ${location.origin}, and the server believes it is at ${report.server}: frames and sockets of the one are strangers to the other.`,
      'coinslot', 'COINSLOT_PUBLIC_URL=' + location.origin);
  }

  // The page holds the tag that merchants write; an inserted script would need a policy for Trusted Types.
  async function loader() {
    await loaded;
    if (!customElements.get('coinslot-checkout')) {
      const answer = await script;
      const kind = answer.headers.get('Content-Type');
      return found('script', 'fail', answer.ok ? `checkout.js arrives as ${kind}, and did not run.` : `checkout.js is answered with ${answer.status}.`,
        'proxy', 'Content-Type: text/javascript; charset=utf-8');
    }
    const hash = await hashOf(await (await script).clone().arrayBuffer());
    if (hash && integrity && hash !== integrity) {
      return found('script', 'fail', 'checkout.js runs, but is not what the server sent: something on the way rewrites scripts. A pinned tag is refused then.',
        'proxy', 'Cache-Control: no-transform');
    }
    const old = integrity && !(await look(pinned, { method: 'HEAD' })).ok;
    if (old) return found('script', 'fail', `checkout.js runs, but its pinned address ${pinned} does not answer.`, 'proxy', 'location /checkout/ { proxy_pass …; }');
    found('script', 'ok', `checkout.js ${Coinslot.version} runs${hash && integrity ? ', and is byte for byte what the server sent' : ''}.`);
  }

  async function hashOf(content) {
    if (!crypto.subtle) return ''; // only where the page is trusted
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-384', content));
    return 'sha384-' + btoa(String.fromCharCode(...sum));
  }

  // frame tries a whole checkout, by the element that merchants use: its frame says by code that there is nothing to pay.
  async function frame() {
    await loaded;
    if (!customElements.get('coinslot-checkout')) return found('frame', 'fail', 'Without checkout.js there is no frame to try.');
    const element = document.createElement('coinslot-checkout');
    const heard = new Promise((done) => {
      element.addEventListener('coinslot-ready', () => done('ready'));
      element.addEventListener('coinslot-error', ({ detail }) => done(detail.code));
    });
    for (const [name, value] of Object.entries({ session, prewarm: 'load', lang: 'en' })) element.setAttribute(name, value);
    element.append(make('a', { href: '/checkout/' + session, textContent: 'The same page on its own' }));
    document.getElementById('trial').append(element);
    const code = await Promise.race([heard, after(HELLO, 'timeout')]);
    if (!['csp_frame_src', 'frame_blocked', 'timeout', 'offline', 'origin_refused'].includes(code)) {
      return found('frame', 'ok', 'A frame of the checkout loads, greets this page and speaks with it.');
    }
    const answer = await framed.catch(() => null);
    const by = answer?.headers.get('X-Frame-Options');
    found('frame', 'fail', by ? `The frame is refused by X-Frame-Options: ${by} (${code}).` : `No frame of the checkout answers here (${code}).`,
      'proxy', ...by ? ['proxy_hide_header X-Frame-Options;'] : []);
  }

  async function csp() {
    const { headers } = await framed, got = headers.get('Content-Security-Policy') ?? '';
    const want = directives(sent['Content-Security-Policy']), have = directives(got.split(',', 1)[0]);
    want.delete('frame-ancestors'); // differs between pages
    const wrong = [...want].filter(([name, text]) => have.get(name) !== text).map(([, text]) => text);
    if (!got) return found('csp', 'fail', 'The policy of the checkout\'s pages does not arrive: something on the way takes it out.', 'proxy', 'proxy_pass_header Content-Security-Policy;');
    if (got.includes(',')) return found('csp', 'fail', `Something on the way adds a second policy, and both hold: ${got.slice(got.indexOf(',') + 1).trim()}`, 'proxy', 'proxy_pass_header Content-Security-Policy;');
    if (wrong.length) return found('csp', 'fail', 'The policy of the checkout\'s pages is changed on the way. It left the server with:', 'proxy', ...wrong);
    if (!have.has('frame-ancestors')) return found('csp', 'fail', 'The policy has lost its frame-ancestors: any page may show the checkout.', 'proxy', 'proxy_pass_header Content-Security-Policy;');
    found('csp', 'ok', 'The policy of the checkout\'s pages arrives as it left the server.');
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
      return found('coep', 'fail', 'Pages with a Cross-Origin-Embedder-Policy cannot show the checkout: these headers are lost on the way.', 'proxy', ...new Set(lost));
    }
    found('coep', 'ok', 'Pages with a Cross-Origin-Embedder-Policy can show the checkout; this page has one and does.');
  }

  async function framing() {
    const values = (await answers()).map((answer) => answer?.headers.get('X-Frame-Options')).filter(Boolean);
    if (values.length) {
      return found('framing', 'fail', `Something on the way adds X-Frame-Options: ${values[0]}. The server sends none: its policy says who may frame it. Browsers go by the policy if that arrives, too; what does not know it shows no frame.`, 'proxy', 'proxy_hide_header X-Frame-Options;');
    }
    found('framing', 'ok', 'Nothing on the way adds X-Frame-Options.');
  }

  async function cache() {
    const [one, , file] = await answers();
    const kept = one.headers.get('Cache-Control') ?? '';
    if (!/\bno-store\b/.test(kept)) {
      return found('cache', 'fail', `Pages of payments arrive with Cache-Control: ${kept || 'nothing'}; a cache may show one shopper's payment to another.`, 'proxy', 'Cache-Control: ' + sent['Cache-Control']);
    }
    if (file && !/\bimmutable\b/.test(file.headers.get('Cache-Control') ?? '')) {
      return found('cache', 'warn', 'Files with a hash in their name arrive without "immutable": browsers ask for them again each time.', 'proxy', 'Cache-Control: public, max-age=31536000, immutable');
    }
    found('cache', 'ok', 'Payments are kept in no cache; files with a hash in their name are kept for good.');
  }

  async function webassembly() {
    if (!wasm) return found('wasm', 'warn', 'The server was built without it. The checkout works as plain HTML.');
    try {
      new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); // the smallest there is
    } catch (cause) {
      return found('wasm', 'fail', `WebAssembly is refused here: ${cause.message}`, 'proxy', directives(sent['Content-Security-Policy']).get('script-src'));
    }
    const { ok, status, headers } = await program;
    const kind = headers.get('Content-Type'), coding = headers.get('Content-Encoding');
    if (!ok) return found('wasm', 'fail', `app.wasm is answered with ${status}.`);
    if (kind !== 'application/wasm') {
      return found('wasm', 'fail', `app.wasm arrives as ${kind || 'nothing in particular'}: browsers cannot compile it while it arrives.`, 'proxy', 'Content-Type: application/wasm');
    }
    if (!coding) return found('wasm', 'fail', 'app.wasm arrives unpacked, several times as large: something on the way unpacks it, or hides Accept-Encoding from the server.',
      'proxy', 'proxy_set_header Accept-Encoding $http_accept_encoding;');
    found('wasm', 'unknown', `WebAssembly compiles, and app.wasm arrives packed (${coding}). Waiting for it to run.`);
    const end = await running();
    if (end === 'wasm') return found('wasm', 'ok', `WebAssembly compiles, app.wasm arrives packed (${coding}) and runs in the frame.`);
    found('wasm', end === 'failed' ? 'fail' : 'warn', end === 'failed' ? 'app.wasm arrives, but did not start in the frame. Its console says why.'
      : `app.wasm arrives packed (${coding}), but was not running in a frame after ${LIVE / 1000} s.`);
  }

  // running waits until the program drives the frame, or has failed there.
  async function running() {
    for (const end = performance.now() + LIVE; performance.now() < end; await after(200)) {
      let inside;
      try {
        inside = document.querySelector('coinslot-checkout')?.shadowRoot?.querySelector('iframe')?.contentDocument;
      } catch {
        continue; // the browser's own error page is in it
      }
      if (inside?.getElementById('coinslot')?.dataset.live === 'wasm') return 'wasm';
      if (inside?.documentElement?.dataset.wasm === 'failed') return 'failed';
    }
  }

  function storage() {
    try {
      localStorage.length;
    } catch {
      return found('storage', 'warn', 'This browser keeps no storage even here. The checkout goes on without: it keeps nothing in the browser.');
    }
    found('storage', 'ok', 'Storage works here. In a page of another site the browser may refuse it; the checkout goes on without: it keeps nothing in the browser.');
  }

  async function websocket() {
    const word = 'coinslot ' + Math.random().toString(36).slice(2);
    const socket = new WebSocket(location.origin.replace('http', 'ws') + '/checkout/doctor/live');
    const answer = new Promise((done) => {
      socket.onopen = () => socket.send(word);
      socket.onmessage = ({ data }) => done(data);
      socket.onclose = () => done();
    });
    const got = await Promise.race([answer, after(ECHO)]);
    socket.close();
    if (got === word) return found('websocket', 'ok', 'A websocket opens and carries messages both ways.');
    found('websocket', 'fail', 'No websocket gets through. The checkout asks every few seconds instead: it works, and is later with its news.',
      'proxy', 'proxy_http_version 1.1;', 'proxy_set_header Upgrade $http_upgrade;', 'proxy_set_header Connection "upgrade";');
  }

  // The countdown does not depend on clocks: it counts what the server says is left. Order tokens and webhooks do.
  async function clock() {
    const asked = Date.now(), answer = await look('/checkout/doctor?format=json'), here = (asked + Date.now()) / 2;
    const header = Date.parse(answer.headers.get('Date') ?? ''), server = Date.parse((await answer.json()).time);
    const worst = [header - here, server - here].filter(Number.isFinite).sort((a, b) => Math.abs(b) - Math.abs(a))[0] ?? 0;
    if (Math.abs(worst) <= DRIFT) return found('clock', 'ok', 'Server and browser agree on the time.');
    const apart = Math.abs(worst) > 120_000 ? Math.round(Math.abs(worst) / 60_000) + ' minutes' : Math.round(Math.abs(worst) / 1000) + ' s';
    const who = Math.abs(server - here) > DRIFT ? 'the server\'s clock' : 'the Date that arrives';
    found('clock', Math.abs(worst) > SKEW ? 'fail' : 'warn', `${who[0].toUpperCase() + who.slice(1)} is ${apart} ${worst > 0 ? 'ahead of' : 'behind'} this browser's. ` +
      'Countdowns are right all the same; order tokens expire at the wrong time, and receivers refuse webhooks that are five minutes off.', 'machine', 'timedatectl set-ntp true');
  }

  // --- Start ---------------------------------------------------------------------------------------------------------

  const checks = { address, script: loader, frame, csp, coep, framing, cache, wasm: webassembly, storage, websocket, clock };
  for (const id in checks) {
    const row = part('doctor-check-' + id);
    row.dataset.trying = '1';
    row.querySelector('.word').textContent = 'Trying';
    row.querySelector('.detail').textContent = '…';
  }
  sum();
  for (const [id, check] of Object.entries(checks)) {
    Promise.resolve().then(check).catch((cause) => found(id, 'fail', `It could not be tried: ${cause.message}`));
  }
})();
