import { type BoardRow, type PodState, podStates } from "./board.js";

/** Cell of a pod in each state. */
const cells: Readonly<Record<PodState, string>> = {
  ready: "█",
  outdated: "▒",
  starting: "░",
  failing: "×",
  stopping: "·",
  done: "○",
};
/** Explanation of the cells. */
export const legend: string = podStates.map((state) => `${cells[state]} ${state}`).join("   ");

/**
 * Replaces each run of equal cells in a line of the table by what `paint` returns for it, such as the same run in a
 * colour.
 */
export function paintCells(line: string, paint: (state: PodState, run: string) => string): string {
  return line.replace(/█+|▒+|░+|×+|·+|○+/g, (run) => {
    const state = podStates.find((one) => run.startsWith(cells[one]));
    return state === undefined ? run : paint(state, run);
  });
}

/** Numbers of the terminal's colours: green, blue, yellow, red and grey. */
const colours: Readonly<Record<PodState, number>> = {
  ready: 32,
  outdated: 34,
  starting: 33,
  failing: 31,
  stopping: 90,
  done: 90,
};
/** Adds the colour of a state to cells. */
export const coloured = (state: PodState, run: string): string => `\u001b[${String(colours[state])}m${run}\u001b[39m`;

function columns(name: string, ready: string, image: string): string {
  const shorten = (text: string, room: number): string =>
    text.length > room ? `${text.slice(0, room - 1)}…` : text.padEnd(room);
  return `${shorten(name, 22)} ${ready.padEnd(9)}${shorten(image, 14)} `;
}

/** Title of the rows of workloads. */
export const rowTitle: string = `${columns("WORKLOAD", "READY", "IMAGE")}PODS`;

/** Renders one cell per pod, or a bar in which each state has its share if the pods are more than the cells. */
export function renderRow({ name, image, counts, total }: BoardRow, width: number): string {
  const ready = `${counts.ready + counts.outdated}/${total}`;
  // The registry and the digest leave no room for the tag.
  const front = columns(name, ready, image.replace(/^.*[/]/, "").replace(/@.*/, ""));
  const scale = Math.min(1, Math.max(1, width - front.length) / total);
  let [sum, drawn, bar] = [0, 0, ""];
  for (const state of podStates) {
    sum += counts[state];
    const end = Math.round(sum * scale);
    bar += cells[state].repeat(end - drawn);
    drawn = end;
  }
  return front + bar;
}
