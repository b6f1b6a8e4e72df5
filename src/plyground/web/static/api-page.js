/** The page that describes the HTTP interface: the server writes it, this adds the header. */

import { openShell } from "./shell.js";

openShell();
