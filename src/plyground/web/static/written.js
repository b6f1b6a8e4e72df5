/** Pages that the server writes: this adds the header. */

import { openShell } from "./shell.js";

openShell();
