const found = [];
if (document.documentElement.scrollWidth > innerWidth) found.push('all: the page scrolls sideways');
for (const e of all('*')) {
  const {position, overflowX, overflowY} = getComputedStyle(e);
  if (!seen(e) || e.closest('.sandbox')) continue; // no buyer sees the sandbox's bar
  if (['auto', 'scroll'].includes(overflowX) && e.scrollWidth > e.clientWidth) found.push(name(e) + ' scrolls sideways');
  if (['auto', 'scroll'].includes(overflowY) && e.scrollHeight > e.clientHeight) found.push(name(e) + ' scrolls by itself');
  if (['fixed', 'sticky'].includes(position) && e.offsetHeight > innerHeight / 4) found.push(name(e) + ' sticks and takes ' + e.offsetHeight + ' px');
}
return found;
