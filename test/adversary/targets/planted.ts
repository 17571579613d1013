import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Run, Target } from "../target.js";
import { jsonWords } from "../vocabularies.js";

const plant = (run: Run): Target => ({
  vocabulary: jsonWords([["[", "]"]]),
  prepare: () => run,
});

/** Mistakes on purpose, to check that the suite finds each. */
export const planted: Record<string, Target> = {
  "planted-quadratic": plant(() => {
    const bytes = Buffer.alloc(1024 * 1024);
    let sum = 0;
    for (let at = 0; at < bytes.length; at += 16) sum += bytes.indexOf(7);
    return sum;
  }),
  "planted-memory": plant(() => Buffer.alloc(512 * 1024 * 1024, 1)),
  "planted-crash": plant(() => {
    const hoard: unknown[] = [];
    for (;;) hoard.push(new Array(1_000).fill(hoard.length));
  }),
  "planted-overflow": plant(() => {
    const nest = (value: object): object => nest({ value });
    return nest({});
  }),
  "planted-prototype": plant(() => Object.defineProperty(Object.prototype, "planted", { value: 1 })),
  "planted-socket": plant(() => once(createServer().listen(0, "127.0.0.1"), "listening")),
  "planted-exception": plant(async () => {
    setImmediate(() => {
      throw new Error("planted");
    });
    await sleep(1_000);
  }),
  "planted-rejection": plant(async () => {
    void Promise.reject(new Error("planted"));
    await sleep(1_000);
  }),
};
