// Theme and style tokens of the host page. All are validated: the host page may have untrusted ones.

import { cssColor } from './colors.js';
import { html } from './page.js';
import { COLORS, NEEDED, palette } from './palette.js';

/** Names of the host page's custom properties, without their prefix. */
export const TOKENS = ['radius', 'density', 'font',
  ...['accent', ...COLORS].flatMap((name) => [name, name + '-dark'])];

const FONT = /^[\p{L}\d\s,'"_-]{1,200}$/u;
const FALLBACK = ', system-ui'; // if the shopper's system lacks the font
const RADIUS = /^\d[\d.]*(px)?$/;
const LARGEST_RADIUS = 24; // px

/** @param {string} theme */
export function applyTheme(theme) {
  if (!['auto', 'light', 'dark'].includes(theme)) return;
  html.className = 'theme-' + theme;
}

/**
 * Applies the tokens in place of those applied before.
 * @param {Record<string, string>} tokens
 * @param {(problem: string) => void} onProblem is called with each pair of colors that is ignored
 */
export function applyStyle(tokens, onProblem) {
  html.removeAttribute('style');
  /** @param {'' | '-dark'} suffix */
  const colors = (suffix) => palette(tokens, suffix, (front, back, ratio) => {
    if (ratio < NEEDED) {
      onProblem(`--coinslot-${front} on --coinslot-${back} is ignored: ` +
        `contrast ${ratio.toFixed(3)}, needs ${NEEDED}`);
    }
  });
  const light = colors('');
  const dark = colors('-dark');
  for (const name in light) {
    set(name, `light-dark(${cssColor(light[name])}, ${cssColor(dark[name])})`);
  }
  if (RADIUS.test(tokens.radius)) {
    set('coinslot-radius', Math.min(LARGEST_RADIUS, parseFloat(tokens.radius)) + 'px');
  }
  for (const name of ['density', 'preset']) {
    if (tokens[name]) html.dataset[name] = tokens[name];
    else delete html.dataset[name];
  }
  if (tokens.font && FONT.test(tokens.font)) set('coinslot-font', tokens.font + FALLBACK);
}

/** @param {string} name @param {string} value */
const set = (name, value) => html.style.setProperty('--' + name, value);
