const found = [];
const want = (e, what, color, on) => { const r = ratio(color, on); if (r < 3) found.push(name(e) + ': ' + what + ' ' + color + ' on ' + on + ' has ' + r + ' to 1'); };
for (const e of all('input:not([type=radio], [type=hidden]), select, .button:not(.quiet)').filter(seen)) {
  const s = getComputedStyle(e), edge = bytes(s.borderTopColor)[3] > 0 ? s.borderTopColor : s.backgroundColor;
  want(e, 'its edge', edge, under(e));
}
for (const e of all('.coin:has(> .coin-head > :checked)')) {
  want(e, 'its radio', getComputedStyle(e.querySelector(':checked')).borderTopColor, getComputedStyle(e).backgroundColor);
}
for (const e of all('a[href], button, summary, select, input:not([type=hidden])').filter(seen)) {
  if (e.disabled) continue;
  e.focus({focusVisible: true});
  const by = e.matches('[type=radio]') ? e.closest('label') : e, s = getComputedStyle(by);
  if (parseFloat(s.outlineWidth) < 2) found.push(name(e) + ': a focus ring of ' + s.outlineWidth);
  want(e, 'its focus ring', s.outlineColor, under(by));
}
for (const e of all('[data-network]')) {
  const s = getComputedStyle(e);
  if (parseFloat(s.borderInlineStartWidth) > 2) want(e, 'its band', s.borderInlineStartColor, s.backgroundColor);
}
return [...new Set(found)].slice(0, 12);
