// Theme and style tokens of the host page. All are validated: the host page may have untrusted ones.

import { blackOrWhite, contrast, cssColor, mix, READABLE, readColor } from './colors.js';
import { html } from './page.js';

const FONT = /^[\p{L}\d\s,'"_-]{1,200}$/u;
const RADIUS = /^(\d{1,3}(?:\.\d+)?)(px)?$/;
const LARGEST_RADIUS = 24; // px
const CSS_FUNCTIONS = /--|env\(|attr\(/i; // valid with any value, which may be no color
const TINT = 0.07; // share of the accent in a tint of it, as in static/css

/** @param {string} theme */
export function applyTheme(theme) {
  if (!['auto', 'light', 'dark'].includes(theme)) return;
  html.classList.remove('theme-auto', 'theme-light', 'theme-dark');
  html.classList.add('theme-' + theme);
}

/** @param {{ accent: string, radius: string, density: string, font: string }} tokens */
export function applyStyle({ accent, radius, density, font }) {
  const light = accentColors(accent, 'light');
  const dark = accentColors(accent, 'dark');
  for (const name in light) {
    const [day, night] = [light[name], dark[name]];
    set(name, day === night ? day : `light-dark(${day}, ${night})`);
  }
  const corner = RADIUS.exec(radius);
  if (corner) set('radius', Math.min(LARGEST_RADIUS, Number(corner[1])) + 'px');
  if (['compact', 'normal', 'cozy'].includes(density)) html.dataset.density = density;
  if (FONT.test(font)) set('font', font);
}

/** @param {string} name @param {string} value */
function set(name, value) {
  if (value) html.style.setProperty('--coinslot-' + name, value);
}

/**
 * The colors of an accent in a color scheme: the accent itself; black or white text on it; and a
 * color for text and lines, which is the accent mixed with as little of the page's text color as
 * makes it readable on the background and on its tint.
 * @param {string} accent
 * @param {'light' | 'dark'} scheme
 * @returns {Record<string, string>} empty if the accent is no color
 */
function accentColors(accent, scheme) {
  if (!accent || CSS_FUNCTIONS.test(accent)) return {};
  const paper = /** @type {number[]} */ (readColor('var(--paper, Canvas)', scheme));
  const ink = /** @type {number[]} */ (readColor('var(--ink, CanvasText)', scheme));
  const own = readColor(accent, scheme, paper);
  if (!own) return {};
  const tint = mix(paper, own, TINT);
  let line = own;
  for (let tenths = 1; tenths <= 10; tenths++) {
    if (Math.min(contrast(line, paper), contrast(line, tint)) >= READABLE) break;
    line = mix(own, ink, tenths / 10);
  }
  return {
    'accent': cssColor(own),
    'on-accent': blackOrWhite(own),
    'accent-ink': cssColor(line),
  };
}
