// Theme and style tokens of the host page. Each is checked, because the host page may itself have
// been given them by somebody else.

import { contrast, cssColor, luminance, mix, readColor } from './colors.js';
import { html } from './page.js';

const FONT = /^[\p{L}\d\s,'"_-]{1,200}$/u;
const RADIUS = /^(\d{1,3}(?:\.\d+)?)(px)?$/;
const LARGEST_RADIUS = 24; // px
const CSS_FUNCTIONS = /--|env\(|attr\(/i; // valid whatever they come to, and then perhaps no color
const READABLE = 4.6; // contrast to 1: WCAG asks for 4.5, and numbers are rounded
const TINT = 0.09; // share of the accent in a tint of it, as in static/css
const EQUAL_CONTRAST = 0.179; // luminance at which black and white read equally well

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
    const same = light[name] === dark[name];
    set(name, same ? light[name] : `light-dark(${light[name]}, ${dark[name]})`);
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
 * What an accent becomes in a color scheme: how it looks on paper; black or white, whichever reads
 * better on it; and an ink for text and lines: the accent itself if it can be read on paper and on
 * its tint, else with as little of the page's ink in it as makes it so.
 * @param {string} accent
 * @param {'light' | 'dark'} scheme
 * @returns {Record<string, string>} empty if the accent is no color
 */
function accentColors(accent, scheme) {
  if (!accent || CSS_FUNCTIONS.test(accent)) return {};
  const paper = readColor('var(--paper, Canvas)', scheme);
  const ink = readColor('var(--ink, CanvasText)', scheme);
  const own = readColor(accent, scheme, paper);
  if (!own || !paper || !ink) return {};
  const grounds = [paper, mix(paper, own, TINT)];
  /** @param {number[]} color */
  const isReadable = (color) => grounds.every((ground) => contrast(color, ground) >= READABLE);
  let line = own;
  for (let tenths = 1; tenths <= 10 && !isReadable(line); tenths++) {
    line = mix(own, ink, tenths / 10);
  }
  return {
    'accent': cssColor(own),
    'on-accent': luminance(own) > EQUAL_CONTRAST ? '#000' : '#fff',
    'accent-ink': cssColor(line),
  };
}
