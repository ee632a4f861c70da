const found = [];
for (const sample of document.querySelectorAll('[data-sample]')) {
  const say = text => found.push(sample.dataset.sample + ': ' + text), each = css => [...sample.querySelectorAll(css)];
  const ranks = each('h1, h2, h3, h4, h5, h6').map(h => Number(h.tagName[1]));
  if (ranks.filter(r => r === 1).length !== 1) say(ranks.filter(r => r === 1).length + ' headings of the first rank; want 1');
  ranks.forEach((r, i) => { if (r > (ranks[i - 1] ?? 0) + 1) say('a heading of rank ' + r + ' follows one of ' + (ranks[i - 1] ?? 0)); });
  if (each('h1')[0]?.tabIndex !== -1 || !each('h1')[0].hasAttribute('tabindex')) say('its heading cannot be given the focus');
  const live = each('[aria-live]:not([aria-live=off]), [role=status], [role=log]');
  const page = live.filter(e => !e.matches('[data-part=estimate], [data-part=check-result], .choose .offscreen, [data-part=wallet-back]')); // these answer what is typed, picked and tapped beside them
  if (page.length !== 1) say(page.length + ' live regions for the whole page; want 1: ' + page.map(name));
  for (const e of each('[tabindex]')) if (e.tabIndex > 0) say(name(e) + ' jumps the queue');
  for (const e of each('img')) if (!e.alt && e.getAttribute('aria-hidden') !== 'true' && e.getAttribute('role') !== 'presentation' && !e.hasAttribute('alt')) say(name(e) + ' has no text');
  for (const e of each('input:not([type=hidden]), select, textarea')) {
    const labelled = [e.closest('label'), e.id && sample.querySelector('label[for=' + e.id + ']')].some(l => l?.textContent?.trim()) || e.ariaLabel || e.getAttribute('aria-labelledby');
    if (!labelled) say(name(e) + ' ' + e.name + ' has no name');
  }
  for (const e of each('button, a[href], summary')) if (!e.textContent.trim() && !e.ariaLabel) say(name(e) + ' has no name');
  for (const e of each('[name=lang] > option')) if (e.lang !== e.value) say('the language ' + e.value + ' is not marked as one');
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for'])
    for (const e of each('[' + attribute + ']')) for (const id of e.getAttribute(attribute).split(' '))
      if (!sample.querySelector('#' + CSS.escape(id))) say(name(e) + ' refers to ' + id + ', which is not there');
  const ids = each('[id]').map(e => e.id);
  ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => say('the id ' + id + ' is there twice'));
}
return found;
