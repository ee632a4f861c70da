const target = e => e.matches('[type=radio], [type=checkbox]') ? e.closest('label') ?? e : e;
const pressed = all('a[href], button, input:not([type=hidden]), summary, select').map(target).filter(seen);
const inline = e => e.matches('a') && getComputedStyle(e).display === 'inline' &&
  [...e.parentNode.childNodes].some(n => n.nodeType === 3 && n.data.trim());
const box = e => e.getBoundingClientRect();
const middle = r => [r.left + r.width / 2, r.top + r.height / 2];
const found = [];
for (const e of new Set(pressed)) {
  const r = box(e), [x, y] = middle(r);
  const main = e.matches('.primary, .copy, .coin-head, .network, [data-part=recheck], [data-part=cancel], [data-part=change], [data-part=search], [name=email]');
  if (main && r.height < 44) found.push(name(e) + ' is ' + Math.round(r.height) + ' px high; want 44');
  if (r.width >= 24 && r.height >= 24 || inline(e)) continue;
  const sample = e.closest('[data-sample]');
  const near = pressed.filter(o => o !== e && sample.contains(o)).find(o => {
    const s = box(o), dx = Math.max(s.left - x, 0, x - s.right), dy = Math.max(s.top - y, 0, y - s.bottom);
    return Math.hypot(dx, dy) < 12;
  });
  if (near) found.push(name(e) + ' is ' + Math.round(r.width) + ' by ' + Math.round(r.height) + ' px and close to ' + name(near));
}
return [...new Set(found)];
