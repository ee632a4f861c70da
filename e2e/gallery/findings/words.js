// Words that are broken inside, by their boxes. Codes may break anywhere; a language without spaces has words all the same.
const code = '.reference, .tx, .value, dd[translate=no]';
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const range = document.createRange();
const words = new Intl.Segmenter(document.documentElement.lang, {granularity: 'word'});
const found = new Set();
for (const sample of document.querySelectorAll('[data-sample]')) {
  const texts = document.createTreeWalker(sample, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode, e = text.parentElement;
    if (!text.data.trim() || !seen(e) || e.closest(code) || e.closest('option, .steps span')) continue;
    range.selectNodeContents(text);
    if (range.getClientRects().length < 2) continue;
    for (const {segment, index, isWordLike} of words.segment(text.data)) {
      if (!isWordLike || unspaced.test(segment)) continue;
      range.setStart(text, index);
      range.setEnd(text, index + segment.length);
      const lines = new Set([...range.getClientRects()].filter(r => r.width > 0.5).map(r => Math.round(r.top)));
      if (lines.size > 1) found.add(name(e) + ' breaks ' + segment);
    }
  }
}
return [...found];
