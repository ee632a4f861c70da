import styles from 'checkout.css'; // static/css as one
import { addStylesheet, settings } from '../frame/page.js';

try {
  const styleSheet = new CSSStyleSheet();
  styleSheet.replaceSync(styles);
  document.adoptedStyleSheets = [styleSheet];
} catch { // Safari before 16.4 has no constructable stylesheets
  addStylesheet(settings.style);
}
