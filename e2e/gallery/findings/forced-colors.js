const found = [];
const edge = e => { const s = getComputedStyle(e); return parseFloat(s.borderTopWidth) >= 1 && s.borderTopStyle !== 'none' && s.borderTopColor !== s.backgroundColor && !s.borderTopColor.startsWith('rgba'); };
for (const e of all('button:not(.link), a.button, input:not([type=radio], [type=hidden]), select')) if (seen(e) && !edge(e)) found.push(name(e) + ' has no border: ' + getComputedStyle(e).borderTopColor);
for (const e of all('.coin:has(> .coin-head > :checked)')) {
  const s = getComputedStyle(e);
  if (parseFloat(s.outlineWidth) < 2 || s.outlineStyle === 'none') found.push(name(e) + ' is chosen and not marked');
}
const look = (e, part) => { const s = getComputedStyle(e, part); return [s.backgroundColor, s.backgroundImage, s.borderTopWidth, s.content].join(); };
for (const list of document.querySelectorAll('.steps')) {
  const looks = [...list.children].map(e => look(e) + look(e, '::before')), kinds = [...list.children].map(e => e.className + e.ariaCurrent);
  if (new Set(looks).size !== new Set(kinds).size) found.push(name(list) + ' has steps that look alike');
}
const [on, off] = [':checked', ':not(:checked, :disabled)'].map(is => look(all('.coin [type=radio]:not(.offscreen)' + is).find(seen)));
if (on === off) found.push('all: a checked radio looks like any other');
if (new Set(['.button.primary', '.button:not(.primary)'].map(css => look(all(css).find(seen)))).size < 2) found.push('all: the filled button looks like any other');
for (const e of all('a[href], button, summary, select, input:not([type=hidden])')) {
  if (!seen(e) || e.disabled) continue;
  e.focus({focusVisible: true});
  const by = e.matches('[type=radio]') ? e.closest('label') : e, s = getComputedStyle(by);
  if (document.activeElement === e && (parseFloat(s.outlineWidth) < 2 || s.outlineStyle === 'none')) found.push(name(e) + ' has the focus and does not show it');
}
return found.slice(0, 12);
