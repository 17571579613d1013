import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pack.js";
import { escapeXml } from "./recording.js";

interface Box {
  readonly id: string;
  /** Place in the grid. */
  readonly column: number;
  readonly row: number;
  /** A name, and optionally a second line. */
  readonly lines: readonly string[];
  /** True if it isn't part of the package. */
  readonly outside?: boolean;
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  /** True for heads on both ends. */
  readonly both?: boolean;
}

/** Boxes on a grid, and arrows between them. */
export interface Diagram {
  readonly file: string;
  readonly title: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

const width = 140;
const height = 46;
const stepX = 230;
const stepY = 96;
const margin = 20;
const top = 44;

/** Reads docs/data/diagrams.json. */
export function readDiagrams(): Diagram[] {
  return JSON.parse(readFileSync(join(root, "docs/data/diagrams.json"), "utf8")) as Diagram[];
}

/** Renders a diagram as SVG. */
export function renderDiagram({ file, title, boxes, arrows }: Diagram): string {
  const columns = Math.max(...boxes.map(({ column }) => column));
  const rows = Math.max(...boxes.map(({ row }) => row));
  const center = (id: string): { x: number; y: number } => {
    const box = boxes.find((each) => each.id === id);
    if (box === undefined) throw new Error(`${file}: no box ${id}`);
    return { x: margin + box.column * stepX + width / 2, y: top + box.row * stepY + height / 2 };
  };
  const lines = arrows.map(({ from, to, label, both }) => {
    const start = center(from);
    const end = center(to);
    const a = border(start, end);
    const b = border(end, start);
    const heads = `marker-end="url(#head)"${both === true ? ' marker-start="url(#head)"' : ""}`;
    const vertical = a.x === b.x;
    const text =
      label === ""
        ? ""
        : `<text x="${String((a.x + b.x) / 2 + (vertical ? 8 : 0))}" y="${String((a.y + b.y) / 2 + (vertical ? 4 : -6))}" class="label"${vertical ? "" : ' text-anchor="middle"'}>${escapeXml(label)}</text>`;
    return `<line x1="${String(a.x)}" y1="${String(a.y)}" x2="${String(b.x)}" y2="${String(b.y)}" ${heads}/>${text}`;
  });
  const shapes = boxes.map(({ id, lines: [name = "", detail], outside }) => {
    const { x, y } = center(id);
    const second =
      detail === undefined
        ? ""
        : `<text x="${String(x)}" y="${String(y + 14)}" class="detail">${escapeXml(detail)}</text>`;
    return `<rect x="${String(x - width / 2)}" y="${String(y - height / 2)}" width="${String(width)}" height="${String(height)}" rx="6"${outside === true ? ' class="outside"' : ""}/><text x="${String(x)}" y="${String(y + (detail === undefined ? 4 : -3))}" class="name">${escapeXml(name)}</text>${second}`;
  });
  const w = 2 * margin + columns * stepX + width;
  const h = top + rows * stepY + height + margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(w)} ${String(h)}" width="${String(w)}" height="${String(h)}" role="img">
<title>${escapeXml(title)}</title>
<style>
text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#24292f}
.title{font-size:15px;font-weight:600}
.name{font-weight:600;text-anchor:middle}
.detail{fill:#57606a;text-anchor:middle}
.label{fill:#57606a;font-size:11px}
rect{fill:#eaf1fd;stroke:#326ce5}
.outside{fill:#f6f8fa;stroke:#9aa4b2;stroke-dasharray:4 3}
line{stroke:#57606a;stroke-width:1.3}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>
<rect width="100%" height="100%" rx="8" style="fill:#fff;stroke:none"/>
<text x="${String(margin)}" y="26" class="title">${escapeXml(title)}</text>
${lines.join("\n")}
${shapes.join("\n")}
</svg>
`;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns the point on a box's border on the way to another box. */
function border(from: Point, to: Point): Point {
  if (from.y === to.y) return { x: from.x + (Math.sign(to.x - from.x) * width) / 2, y: from.y };
  if (from.x === to.x) return { x: from.x, y: from.y + (Math.sign(to.y - from.y) * height) / 2 };
  const scale = Math.min(width / 2 / Math.abs(to.x - from.x), height / 2 / Math.abs(to.y - from.y));
  return { x: Math.round(from.x + (to.x - from.x) * scale), y: Math.round(from.y + (to.y - from.y) * scale) };
}
