import { rootData } from './page.js';

/** Updates the tab's title and icon with the payment's status. */
export function showInTab() {
  const title = rootData('title');
  const icon = rootData('icon');
  const link = document.querySelector('link[rel=icon]');
  if (title && document.title !== title) document.title = title;
  if (icon && link && link.getAttribute('href') !== icon) link.setAttribute('href', icon);
}
