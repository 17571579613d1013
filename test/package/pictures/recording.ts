import { readFileSync } from "node:fs";
import { join } from "node:path";
import { paintCells } from "../../../src/cli/terminal/workload-rows.js";
import { root } from "../pack.js";

/** Output of a program, frame by frame. */
export interface Recording {
  /** Command that was run. */
  readonly command: string;
  /** Width of the terminal in characters. */
  readonly columns: number;
  /** Height of the terminal in lines. */
  readonly rows: number;
  /** Screen contents, with the seconds since the start. */
  readonly frames: readonly { readonly at: number; readonly lines: readonly string[] }[];
}

/** File of the demo's recording. */
export const demoFile: string = join(root, "docs/data/demo.json");

const characterWidth = 7.83;
const lineHeight = 17;
const margin = 16;
const bar = 30;

/** Reads the demo's recording. */
export function readRecording(): Recording {
  return JSON.parse(readFileSync(demoFile, "utf8")) as Recording;
}

/** Renders a recording as an SVG that plays once per loop, and stands still for readers who prefer less motion. */
export function renderRecording(recording: Recording): string {
  const { frames, rows, columns, command } = recording;
  const width = Math.ceil(columns * characterWidth) + 2 * margin;
  const screen = (rows + 1) * lineHeight;
  const height = screen + bar + 2 * margin;
  const last = frames.at(-1);
  if (last === undefined) throw new Error("docs/data/demo.json has no frames");
  // The summary stays for three seconds.
  const length = last.at + 3;
  const steps = frames.map(
    ({ at }, index) =>
      `${index === 0 ? "0" : ((at / length) * 100).toFixed(2)}%{transform:translateY(${String(-index * screen)}px)}`,
  );
  // Shown where nothing is animated: the busiest rollout.
  const outdated = (lines: readonly string[]): number => lines.join("").split("▒").length;
  const still = frames.reduce(
    (best, { lines }, at) => (outdated(lines) > outdated(frames[best]!.lines) ? at : best),
    0,
  );
  const groups = frames.map(({ lines }, index) => {
    const rendered = [`$ ${command}`, ...lines].map((line, row) =>
      line === ""
        ? ""
        : `<text x="0" y="${String(index * screen + (row + 1) * lineHeight - 4)}"${row === 0 ? ' class="command"' : ""}>${paintCells(escapeXml(line), (state, run) => `<tspan class="${state}">${run}</tspan>`)}</text>`,
    );
    return rendered.join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" height="${String(height)}" role="img">
<title>Recording of ${escapeXml(command)}: rollouts, crashes and drains in the embedded cluster, followed live through lost connections and a relist</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d8dee9;white-space:pre}
.command,.ready{fill:#7ee787}
.outdated{fill:#79c0ff}
.starting{fill:#e3b341}
.failing{fill:#ff7b72}
.stopping,.done{fill:#8b949e}
#reel{transform:translateY(${String(-still * screen)}px);animation:play ${length.toFixed(1)}s steps(1,end) infinite}
@keyframes play{${steps.join("")}100%{transform:translateY(${String(-(frames.length - 1) * screen)}px)}}
@media (prefers-reduced-motion:reduce){#reel{animation:none}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<circle cx="20" cy="18" r="5" fill="#ff5f56"/><circle cx="38" cy="18" r="5" fill="#ffbd2e"/><circle cx="56" cy="18" r="5" fill="#27c93f"/>
<svg x="${String(margin)}" y="${String(bar + margin / 2)}" width="${String(width - 2 * margin)}" height="${String(screen)}">
<g id="reel" xml:space="preserve">
${groups.join("\n")}
</g>
</svg>
</svg>
`;
}

/** Escapes text for XML. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
