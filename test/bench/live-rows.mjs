// Rows of a large table, and measurements of the work that a page does with them.
/** Runs `work` and returns its CPU time (ms). */
export async function cpuOf(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Runs `work` and returns the CPU time of the longest task (ms), by a timer that fires between tasks. */
export async function longestTaskOf(work) {
  let longest = 0;
  let last = process.cpuUsage();
  let timer;
  const tick = () => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
    timer = setTimeout(tick, 0);
  };
  tick();
  await work();
  clearTimeout(timer);
  return longest;
}

const columns = ["Name", "Status", "Restarts", "Node"].map((name) => ({ name, type: "string", priority: 0 }));
/** Returns a table row. */
export const rowOf = (index, version, restarts) => ({
  cells: [`web-${index}`, index % 10 === 0 ? "Pending" : "Running", restarts, `node-${index % 500}`],
  columns,
  metadata: { name: `web-${index}`, namespace: `team-${index % 50}`, resourceVersion: String(version) },
});

/** Creates a collection of rows with a list in one chunk and a watch that the bench feeds. */
export function createRows(count) {
  const waiting = [];
  let wake = () => undefined;
  const once = async function* (value) {
    yield value;
  };
  return {
    description: "rows",
    list: async () => ({ items: [], metadata: { resourceVersion: "1" } }),
    listChunks: () =>
      once({ items: Array.from({ length: count }, (_, i) => rowOf(i, 1, i % 7)), metadata: { resourceVersion: "1" } }),
    async *watch({ sendInitialEvents, signal }) {
      if (sendInitialEvents) throw Object.assign(new Error("no streaming lists"), { code: 400 });
      signal?.addEventListener("abort", () => wake());
      for (;;) {
        while (waiting.length > 0) yield waiting.shift();
        if (signal?.aborted) return;
        await new Promise((resolve) => (wake = resolve));
      }
    },
    push(events) {
      for (const event of events) waiting.push(event);
      wake();
    },
  };
}
