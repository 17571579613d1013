/** Resources that keep a process alive and that our code must close. File and name lookups end by themselves. */
const watched = new Set([
  "TCPSocketWrap",
  "TCPServerWrap",
  "TLSWrap",
  "PipeServerWrap",
  "UDPWrap",
  "Immediate",
  "FSEventWrap",
  "StatWatcher",
  "ChildProcess",
  "ProcessWrap",
]);

/** Counts the open handles of the process by name. */
export function openHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo())
    if (watched.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Returns the handles that are open in addition to those of `before`, such as `2 × TCPSocketWrap`. */
export function newHandles(before: ReadonlyMap<string, number>): string[] {
  return [...openHandles()].flatMap(([name, count]) => {
    const more = count - (before.get(name) ?? 0);
    return more > 0 ? [`${String(more)} × ${name}`] : [];
  });
}
