import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { cbor } from "../../../../src/codec/cbor/cbor.js";
import { definitions } from "../../../differential/random/kinds.js";

export type Json = Record<string, unknown>;
type Step = readonly [method: string, path: string, body?: unknown, type?: string, accept?: string];
type Send = (step: Step) => Promise<Json>;

/** Returns the part of a response at a JSON pointer. */
export function at(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((holder, key) => (holder as Json | undefined)?.[key], value);
}

export const core = "/api/v1/namespaces/default";
export const maps = `${core}/configmaps`;
export const pods = `${core}/pods`;
export const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
export const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
export const trinkets = "/apis/random.cf.dev/v1/namespaces/default/trinkets";
/** Media type of an apply. */
export const applied = "application/apply-patch+yaml";
/** Returns an object with a name, more metadata and other members. */
export const named = (name: string, more: Json = {}, rest: Json = {}): Json => ({
  metadata: { name, ...more },
  ...rest,
});
/** Returns a custom resource of the kind Trinket. */
export const trinket = (name: string, more: Json = {}, rest: Json = {}): Json => ({
  apiVersion: "random.cf.dev/v1",
  kind: "Trinket",
  ...named(name, more, rest),
});
/** A pod that can be created. */
export const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
/** Returns the JSON pointer of a field below the causes of a Status. */
export const causes = (field: string): string => `/body/details/causes/${field}`;
/** Metadata of an object that was deleted long ago. */
export const longAgo = { deletionTimestamp: "2001-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 };

/** Opens a server with custom resources before each test of a file, and closes it after the test. */
export function openSequences(): { readonly send: Send; handle(request: Request): Promise<Response> } {
  let server: ApiServer;
  const send: Send = async ([
    method,
    path,
    body,
    type = method === "PATCH" ? "application/merge-patch+json" : "application/json",
    accept = "application/json",
  ]) => {
    const bytes =
      type === "application/cbor"
        ? cbor().encode(body as object)
        : typeof body === "string"
          ? body
          : JSON.stringify(body);
    const response = await server.handle(
      new Request(`http://server${path}`, {
        method,
        headers: { accept, ...(body === undefined ? {} : { "content-type": type }) },
        ...(body === undefined ? {} : { body: bytes as BodyInit }),
      }),
    );
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      warning: response.headers.get("warning"),
      retryAfter: response.headers.get("retry-after"),
      body: await response.json(),
    };
  };
  beforeEach(async () => {
    server = createApiServer({ controllers: false });
    for (const definition of definitions)
      await send(["POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition]);
    await server.settled();
    expect(await send(["GET", trinkets])).toMatchObject({ status: 200 });
  });
  afterEach(() => server.close());
  return { send, handle: (request) => server.handle(request) };
}

/** A sequence of requests, and what kube-apiserver responds to the last one: expected values by JSON pointer. */
type Sequence = readonly [what: string, steps: readonly Step[], expected: Readonly<Record<string, unknown>>];

/** Adds a test for each sequence. */
export function testSequences(topic: string, send: Send, sequences: readonly Sequence[]): void {
  describe(`request sequences: ${topic}`, () => {
    it.each(sequences)("%s", async (_what, steps, expected) => {
      let answer: Json = {};
      for (const step of steps) answer = await send(step);
      expect(
        Object.fromEntries(Object.keys(expected).map((pointer) => [pointer, at(answer, pointer)])),
        JSON.stringify(answer),
      ).toEqual(expected);
    });
  });
}
