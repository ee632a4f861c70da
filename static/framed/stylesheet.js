import styles from 'checkout.css'; // static/css as one
import { settings } from '../frame/page.js';

try {
  const styleSheet = new CSSStyleSheet();
  styleSheet.replaceSync(styles);
  document.adoptedStyleSheets = [styleSheet];
} catch { // Safari before 16.4 has no constructable stylesheets
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = settings.style;
  document.head.append(link);
}
