// `npm run lint:prose [-- PATH…]`: checks comments, thrown messages, test titles, Markdown and field documentation against docs/style.md.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { checkFields, checkPage, checkSource } from "./prose.js";

/** Generated code, and recorded data of others. Everything else is checked. */
const generated = /^(?:src\/(?:kinds|gen)\/|docs\/api\/|test\/golden\/)/;

const files = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...process.argv.slice(2)],
  {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  },
)
  .split("\n")
  .filter(
    (file) => /\.(?:ts|mjs|cjs|js|md)$|^proto\/docs\/.*\.txt$/.test(file) && !generated.test(file) && existsSync(file),
  );

let count = 0;
for (const file of files) {
  const check = file.endsWith(".md") ? checkPage : file.endsWith(".txt") ? checkFields : checkSource;
  const findings = check(file);
  for (const { line, text, advice } of findings) console.log(`${file}:${String(line)}: "${text.trim()}": ${advice}`);
  count += findings.length;
}
console.log(`${String(files.length)} files, ${String(count)} findings`);
process.exitCode = count === 0 ? 0 : 1;
