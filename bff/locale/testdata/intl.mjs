// Formats with Intl, as bff/locale does. It reads a list of [lang, currency, amount] and
// [lang, "2026-11-26"], and writes {"cldr": "48.0", "texts": ["…", …]}.
import { readFileSync } from 'node:fs';

const formats = new Map(); // by arguments: making one is slow

function format(kind, lang, options) {
  const key = lang + JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new kind(lang, options));
  return formats.get(key);
}

function price(lang, currency, amount) {
  const digits = (amount.split('.')[1] ?? '').length;
  return format(Intl.NumberFormat, lang + '-u-nu-latn', {
    style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits,
  }).format(amount);
}

function day(lang, date) {
  return format(Intl.DateTimeFormat, lang + '-u-ca-gregory-nu-latn', {
    day: 'numeric', month: 'long', timeZone: 'UTC',
  }).format(new Date(date));
}

const cases = JSON.parse(readFileSync(0, 'utf8'));
const texts = cases.map((c) => (c.length === 2 ? day(...c) : price(...c)));
console.log(JSON.stringify({ cldr: process.versions.cldr, texts }));
