// The frame's script with the checkout's stylesheet. A frame is visible only after its script has
// run, so it loads both at once, and no policy has to allow the stylesheet.

import './stylesheet.js';
import '../frame/main.js';
