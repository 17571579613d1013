// Runs `kubestream demo` as a terminal shows it and keeps its frames: `npm run pictures:record`, after `npm run build`.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pack.js";
import type { Recording } from "./recording.js";
import { demoFile } from "./recording.js";

const columns = 100;
const rows = 28;
const seconds = 26;
/** The demo draws in place only on a terminal: this makes the pipe look like one. */
const terminal = `Object.assign(process.stdout, { isTTY: true, columns: ${String(columns)}, rows: ${String(rows)} });`;

const child = spawn(
  process.execPath,
  [
    "--import",
    `data:text/javascript,${encodeURIComponent(terminal)}`,
    join(root, "dist/cli/main.js"),
    "demo",
    "--for",
    String(seconds),
  ],
  { env: { ...process.env, KUBECONFIG: "" }, stdio: ["ignore", "pipe", "inherit"] },
);
const begin = performance.now();
const frames: Recording["frames"][number][] = [];
const progress: Recording["frames"][number][] = [];
let text = "";
child.stdout.setEncoding("utf8");
child.stdout.on("data", (chunk: string) => {
  text += chunk;
  const at = Math.round((performance.now() - begin) / 100) / 10;
  // A frame of the table begins at the top left corner; what comes before the first one is the progress.
  const pieces = text.split("\u001b[H");
  text = pieces.pop() ?? "";
  for (const piece of pieces) add(at, piece);
  if (frames.length === 0 && (progress.at(-1)?.at ?? -1) + 0.4 < at) progress.push({ at, lines: linesOf(text) });
});
child.once("close", (code) => {
  if (code !== 0) throw new Error(`kubestream demo exited with ${String(code)}`);
  const [last = "", summary = ""] = text.split("\u001b[?1049l");
  const at = Math.round((performance.now() - begin) / 100) / 10;
  add(at, last);
  // The first frame ends with what stands above the table: the finished progress.
  const prepared = frames.shift();
  if (prepared === undefined) throw new Error("kubestream demo printed no frame");
  frames.push({ at, lines: [...prepared.lines, "", summary.trim()] });
  const recording: Recording = {
    command: `kubestream demo --for ${String(seconds)}`,
    columns,
    rows,
    // Two frames per second are enough to read.
    frames: [
      ...progress,
      prepared,
      ...frames.filter((_frame, index) => index === frames.length - 1 || index % 4 === 0),
    ],
  };
  writeFileSync(demoFile, `${JSON.stringify(recording, undefined, 1)}\n`);
  console.log(`${String(recording.frames.length)} frames in ${demoFile.slice(root.length)}`);
});

function add(at: number, piece: string): void {
  const lines = linesOf(piece);
  if (lines.length > 0) frames.push({ at, lines });
}

/** Visible lines of terminal output. */
function linesOf(piece: string): string[] {
  const lines = piece

    .replaceAll(/\u001b\[[?0-9]*[a-zA-Z]/g, "")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1).trimEnd());
  while (lines.at(-1) === "") lines.pop();
  return lines;
}
