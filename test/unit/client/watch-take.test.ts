import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { ProtocolError, TransportError } from "../../../src/errors/errors.js";
import { measureRequests, type RequestMeasurement } from "../../../src/interceptors/measure-requests.js";
import { Pod } from "../../../src/kinds/core/v1.js";
import type { BodyIterator, Transport } from "../../../src/transport/transport.js";

const line = (type: string, version: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name: "a", resourceVersion: version } } })}\n`;

/** A body whose first chunk arrives asynchronously, with the others available to `take` right after it. */
function bodyOf(first: string, ...rest: (string | Error)[]): AsyncIterable<Uint8Array> {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  let begun = false;
  const iterator: BodyIterator = {
    next() {
      if (!begun) {
        begun = true;
        return Promise.resolve({ done: false, value: encode(first) });
      }
      const chunk = rest.shift();
      if (chunk === undefined) return Promise.resolve({ done: true, value: undefined });
      return chunk instanceof Error ? Promise.reject(chunk) : Promise.resolve({ done: false, value: encode(chunk) });
    },
    take: () => (typeof rest[0] === "string" ? encode(rest.shift() as string) : undefined),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

function watchOf(body: AsyncIterable<Uint8Array>, record?: (measured: RequestMeasurement) => void) {
  const transport: Transport = {
    send: () => Promise.resolve({ status: 200, headers: new Headers({ "content-type": "application/json" }), body }),
    close: () => Promise.resolve(),
  };
  return createClient({ transport, interceptors: record === undefined ? [] : [measureRequests(record)] })
    .resource(Pod)
    .watch();
}

/**
 * Returns the first event's version, the versions that `take` returns after it, and the result of the following
 * `next()`.
 */
async function drain(
  body: AsyncIterable<Uint8Array>,
): Promise<{ first: string | undefined; taken: (string | undefined)[]; then: unknown }> {
  const watch = watchOf(body);
  const first = await watch.next();
  const taken: (string | undefined)[] = [];
  for (let event = watch.take!(); event !== undefined; event = watch.take!())
    taken.push(event.object.metadata!.resourceVersion);
  const then = await watch.next().then(
    ({ done, value }) => (done === true ? "end" : value.object.metadata!.resourceVersion),
    (error: unknown) => error,
  );
  return { first: first.done === true ? undefined : first.value.object.metadata!.resourceVersion, taken, then };
}

const [one, two, three] = [line("ADDED", "1"), line("MODIFIED", "2"), line("MODIFIED", "3")];
const half = Math.floor(three.length / 2);

describe("Watch.take", () => {
  it.each<[string, AsyncIterable<Uint8Array>, string[], unknown]>([
    ["one chunk", bodyOf(one + two + three), ["2", "3"], "end"],
    ["several chunks", bodyOf(one, two, three), ["2", "3"], "end"],
    ["an event in two chunks", bodyOf(one, two + three.slice(0, half), three.slice(half)), ["2", "3"], "end"],
    ["an incomplete event", bodyOf(one, two + three.slice(0, half)), ["2"], expect.any(ProtocolError)],
    ["events of unknown type", bodyOf(one, line("NEW", "2"), three), ["3"], "end"],
    ["no further events", bodyOf(one), [], "end"],
    ["a chunk that isn't an event", bodyOf(one, two, "[]\n", three), ["2"], expect.any(ProtocolError)],
    [
      "a chunk after which the connection breaks",
      bodyOf(one, two, new TransportError("broken")),
      ["2"],
      expect.any(TransportError),
    ],
    [
      "an ERROR event",
      bodyOf(one, `${JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410 } })}\n`, three),
      [],
      expect.objectContaining({ code: 410 }),
    ],
  ])("returns the events of %s without waiting", async (_name, body, taken, then) => {
    expect(await drain(body)).toEqual({ first: "1", taken, then });
  });

  it("returns undefined before the first event, during a pending next() and after the end", async () => {
    const watch = watchOf(bodyOf(one, two));
    expect(watch.take!()).toBeUndefined();
    const waiting = watch.next();
    expect(watch.take!()).toBeUndefined();
    await waiting;
    await watch.return();
    expect(watch.take!()).toBeUndefined();
  });

  it("counts taken chunks in the measured bytes", async () => {
    const measured: RequestMeasurement[] = [];
    const watch = watchOf(bodyOf(one, two, three), (one) => measured.push(one));
    for await (const event of watch) expect(event.type).not.toBe("ERROR");
    expect(measured).toMatchObject([{ receivedBytes: one.length + two.length + three.length }]);
  });
});
