// What can be pressed and lies under something that sticks, wherever the page is scrolled to.
const found = new Set();
const sticks = all('*').filter(e => ['sticky', 'fixed'].includes(getComputedStyle(e).position) && seen(e));
const pressed = all('a[href], button, summary, select, input:not([type=hidden])').map(e => e.closest('label') ?? e).filter(seen);
const step = innerHeight / 8;
for (let y = 0; sticks.length && y < document.documentElement.scrollHeight; y += step) {
  scrollTo(0, y);
  for (const over of sticks) {
    const a = over.getBoundingClientRect();
    for (const e of pressed) {
      const b = e.getBoundingClientRect();
      const meet = a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
      if (meet && !over.contains(e)) found.add(name(e) + ' lies under ' + name(over));
    }
  }
}
return [...found];
