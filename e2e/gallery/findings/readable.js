const found = [];
const want = (e, what, color, on, least) => { const r = ratio(color, on); if (!(r >= least)) found.push(name(e) + ': ' + what + ' ' + color + ' on ' + on + ' has ' + r + ' to 1; want ' + least); };
const root = getComputedStyle(document.documentElement);
for (const name of ['', '-ink']) if (!root.getPropertyValue('--coinslot-accent' + name)) found.push('--coinslot-accent' + name + ' is not set');
for (const e of all('.button.primary').filter(seen)) {
  const s = getComputedStyle(e);
  want(e, 'its text', s.color, s.backgroundColor, 4.5);
  want(e, 'its edge', bytes(s.borderTopColor)[3] > 0 ? s.borderTopColor : s.backgroundColor, under(e), 3);
}
for (const e of all('button.copy').filter(seen)) want(e, 'its text', getComputedStyle(e).color, getComputedStyle(e).backgroundColor, 4.5);
for (const e of all('.coin:has(> .coin-head > :checked)').filter(seen)) {
  const tint = getComputedStyle(e).backgroundColor;
  want(e, 'its radio', getComputedStyle(e.querySelector(':checked')).borderTopColor, tint, 3);
  for (const text of e.querySelectorAll('.coin-head :is(strong, small, span)')) want(text, 'its text', getComputedStyle(text).color, tint, 4.5);
}
return [...new Set(found)].slice(0, 6);
