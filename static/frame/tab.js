import { rootData } from './page.js';

/** Names the tab and draws its icon as the payment goes; at first the server has done both. */
export function showInTab() {
  const title = rootData('title');
  const icon = rootData('icon');
  const link = document.querySelector('link[rel=icon]');
  if (title && document.title !== title) document.title = title;
  if (icon && link && link.getAttribute('href') !== icon) link.setAttribute('href', icon);
}
