// Colors are red, green and blue, from 0 to 1 each.

/** Minimum contrast: WCAG requires 4.5, and numbers are rounded. */
export const READABLE = 4.6;

/**
 * Parses any CSS color into numbers.
 * @param {string} css
 * @param {'light' | 'dark'} scheme
 * @param {number[]} [under] background of a transparent color
 * @returns {number[] | undefined} undefined if it is no color
 */
export function readColor(css, scheme, under) {
  const probe = document.createElement('i');
  const color = `color-mix(in srgb, ${css}, ${css})`; // so that all kinds have one computed form
  Object.assign(probe.style, { colorScheme: scheme, forcedColorAdjust: 'none', color });
  if (!probe.style.color) return;
  document.documentElement.append(probe);
  const computed = getComputedStyle(probe).color.replaceAll('none', '0');
  probe.remove();
  const numbers = /** @type {string[]} */ (computed.match(/-?[\d.]+(e-?\d+)?/g));
  const [red, green, blue, alpha = 1] = numbers.map(Number);
  const own = [red, green, blue].map((part) => Math.min(1, Math.max(0, part)));
  return under ? mix(under, own, alpha) : own;
}

/** @param {number[]} from @param {number[]} to @param {number} share of to, from 0 to 1 */
export const mix = (from, to, share) => from.map((part, i) => part + (to[i] - part) * share);

/** @param {number[]} color */
export const cssColor = (color) => `rgb(${color.map((part) => Math.round(part * 255)).join(', ')})`;

/** Black or white, whichever reads better on a color. @param {number[]} color */
export const blackOrWhite = (color) => luminance(color) > 0.179 ? [0, 0, 0] : [1, 1, 1];

/** The relative luminance of WCAG. @param {number[]} color */
function luminance(color) {
  const [red, green, blue] = color.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of WCAG. @param {number[]} a @param {number[]} b */
export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
