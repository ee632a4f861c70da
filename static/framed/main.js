// The frame's script with the checkout's style sheet in it. A frame is seen only once its script
// has run, so it gets both at once, and no policy has to allow the style sheet.

import './style-sheet.js';
import '../frame/main.js';
