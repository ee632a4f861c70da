// The colors of a page in one color scheme, made from those of a host page. Every color is
// validated: the host page may have untrusted ones.

import { blackOrWhite, contrast, mix, READABLE, readColor } from './colors.js';

export const COLORS = ['background', 'surface', 'text', 'border', 'danger'];
const CSS_FUNCTIONS = /--|env\(|attr\(/i; // valid with any value, which may be no color
const TINT = 0.07; // share of the accent in a tint of it, as in static/css

/** Contrast of two colors of the host page, at least: WCAG. */
export const NEEDED = 4.5;

/**
 * The page's custom properties in a color scheme: those of the accent, and if the host page has
 * other colors, all. What a host page does not set is derived from what it sets.
 * @param {Record<string, string>} tokens of the host page: accent, background, background-dark, …
 * @param {'' | '-dark'} suffix of the scheme's tokens
 * @param {(front: string, back: string, ratio: number) => void} onPair is called with each pair of
 *   tokens and its contrast; a pair with less than NEEDED is not used
 * @returns {Record<string, number[]>}
 */
export function palette(tokens, suffix, onPair) {
  /** @param {string} name */
  const isSet = (name) => tokens[name] || tokens[name + '-dark'];
  const isColored = COLORS.some(isSet);
  if (!isColored && !isSet('accent')) return {};

  const scheme = suffix ? 'dark' : 'light';
  /** @param {string} name @param {number[]} under */
  const given = (name, under, token = name + suffix) =>
    CSS_FUNCTIONS.test(tokens[token]) ? undefined : readColor(tokens[token], scheme, under);
  /** @param {string} name */
  const own = (name) => /** @type {number[]} */ (readColor(`var(--${name})`, scheme));
  /** @param {string} front @param {string} back @param {number[]} a @param {number[]} b */
  const fits = (front, back, a, b) => {
    const ratio = contrast(a, b);
    onPair(front + suffix, back + suffix, ratio);
    return ratio >= NEEDED;
  };

  let paper = own('paper, Canvas'); // without the stylesheet, all others are CanvasText
  let ink = own('ink');
  const background = given('background', paper) ?? paper;
  const text = given('text', background) ?? ink;
  if (fits('text', 'background', text, background)) [paper, ink] = [background, text];

  const accent = given('accent', paper) ?? given('accent', paper, 'accent') ??
    ((isColored || !tokens.accent) && own('coinslot-accent'));
  if (!accent) return {};
  const tint = mix(paper, accent, TINT);
  const colors = {
    'coinslot-accent': accent,
    'coinslot-on-accent': blackOrWhite(accent),
    'coinslot-accent-ink': readable(accent, ink, [paper, tint]),
  };
  if (!isColored) return colors;

  const surface = given('surface', paper);
  const border = given('border', paper);
  const danger = given('danger', paper);
  const raised = surface && fits('text', 'surface', ink, surface) ? surface :
    readable(mix(paper, ink, 0.05), paper, [ink]);
  const bad = danger && fits('danger', 'background', danger, paper) ? danger : own('bad');
  const badPaper = mix(paper, bad, 0.08);
  return {
    ...colors, paper, ink, raised, 'bad-paper': badPaper,
    line: border ?? mix(paper, ink, 0.12),
    field: readable(border ?? mix(paper, ink, 0.5), ink, [paper], 3.1),
    soft: readable(mix(paper, ink, 0.7), ink, [paper, raised, tint]),
    good: readable(own('good'), ink, [paper]),
    bad: readable(bad, ink, [paper, badPaper]),
    focus: ink,
  };
}

/**
 * Mixes a color with as little of another as makes it readable on all grounds.
 * @param {number[]} color
 * @param {number[]} other
 * @param {number[][]} grounds
 */
function readable(color, other, grounds, least = READABLE) {
  let mixed = color;
  for (let tenths = 1; tenths <= 10; tenths++) {
    if (grounds.every((ground) => contrast(mixed, ground) >= least)) break;
    mixed = mix(color, other, tenths / 10);
  }
  return mixed;
}
