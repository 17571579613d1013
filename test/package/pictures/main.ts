// Draws docs/images, and fills the tables of docs/performance.md and docs/guides/kinds.md: `npm run pictures`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pack.js";
import { renderFiles } from "./files.js";

mkdirSync(join(root, "docs/images"), { recursive: true });
const files = renderFiles();
for (const [name, text] of files) writeFileSync(join(root, name), text);
console.log(`wrote ${String(files.size)} files`);
