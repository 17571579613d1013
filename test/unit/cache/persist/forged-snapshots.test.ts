import { expect, it } from "vitest";
import { decodeSnapshot } from "../../../../src/cache/persist/snapshot-format.js";
import { systemClock } from "../../../../src/internal/clock.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { openKept, sizes } from "./kept-store.js";

/** Returns a snapshot with a right checksum and any content. */
async function forge(content: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(content);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Uint8Array.from([...new TextEncoder().encode("kubestream-store/2\np"), ...digest, ...bytes]);
}

/** Returns the text of a block with one object. */
function blockOf(object: string, changes: Readonly<Record<string, unknown>> = {}): string {
  const index = { keys: ["a"], sizes: [object.length], fields: [["metadata"]], shapes: [0], ...changes };
  return `${JSON.stringify(index)}\n${object}`;
}

const named = '{"metadata":{"name":"a"}}';

it("a forged snapshot is discarded without a word of its content", { timeout: 30_000 }, async () => {
  await using world = await openKept();
  const [name] = [...world.storage.data.keys()] as [string];
  const head = (count: number): string => `${JSON.stringify({ name, resourceVersion: "1", count })}\n`;
  const contents = [
    ...["", "\n", "null\n", "secret\n", "[]\n", head(0).trim()],
    ...[
      { name, resourceVersion: 5, count: 0 },
      { name, count: 0 },
    ].map((line) => `${JSON.stringify(line)}\n`),
    ...["{}", "{}\n", "secret\n", "[[\n", "5\n", blockOf(named).slice(0, -1)].map((rest) => head(1) + rest),
    ...[head(2) + blockOf(named), head(2) + blockOf(named) + blockOf(named), head(0) + blockOf(named)],
    ...[
      { keys: [] },
      { keys: [5] },
      { keys: [""] },
      { keys: ["a", "secret"] },
      { sizes: [-1] },
      { sizes: ["secret"] },
      { shapes: [0.5] },
      { shapes: [] },
      { fields: 5 },
      { fields: [Array.from({ length: 17 }, (_, i) => `secret${i}`)] },
    ].map((changes) => head(1) + blockOf(named, changes)),
    // Objects with more fields than are deferred are parsed at once.
    ...["null", "secret", "[]", "{}", '{"metadata":{"name":"secret"}}', '{"metadata":{"name":{"secret":1}}}'].map(
      (object) => head(1) + blockOf(object, { shapes: [-1] }),
    ),
  ];
  for (const content of contents) {
    world.storage.data.set(name, await forge(content));
    const informer = world.create();
    await informer.synced();
    const reasons = world.errors.splice(0).map(String);
    expect([informer.metrics.listsDone, sizes(informer), reasons], content.slice(0, 200)).toEqual([
      1,
      "a=1,b=1",
      [expect.stringMatching(/^ProtocolError: persisted store is invalid: (?!.*secret)/)],
    ]);
    await informer.close();
  }
});

it.each(["null", "secret", "[".repeat(100_000), '{"metadata":null}', '{"metadata":{"name":"secret"}}'])(
  "a forged object is refused when it's read: %.30s",
  async (object) => {
    await using world = await openKept();
    const [name] = [...world.storage.data.keys()] as [string];
    const content = `${JSON.stringify({ name, resourceVersion: "1", count: 1 })}\n${blockOf(object)}`;
    const restored = await decodeSnapshot(await forge(content), name, undefined, systemClock);
    const stored = restored.objects.get("a") as ConfigMap;
    expect(() => stored.metadata).toThrow(/^persisted store is invalid: (?!.*secret)/);
  },
);
