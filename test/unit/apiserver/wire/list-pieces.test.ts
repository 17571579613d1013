import { gunzipSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import type { AuditEvent } from "../../../../src/apiserver/audit/event.js";
import { readWhole } from "../../../../src/apiserver/http/body.js";
import type { BodyStream } from "../../../../src/apiserver/http/http.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { cbor } from "../../../../src/codec/cbor/cbor.js";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import { concatBytes } from "../../../../src/internal/bytes.js";
import { sendJson } from "../../../support/send-json.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

async function create(
  namespace: string,
  objects: readonly { readonly metadata: object }[],
  on: ApiServer = server,
): Promise<string> {
  await sendJson(on, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  for (const body of objects) expect((await sendJson(on, { method: "POST", path, body })).status).toBe(201);
  return path;
}

it.each([
  ["none", []],
  ["one", [10]],
  ["few", [10, 20, 30]],
  ["many", Array.from({ length: 300 }, (_, i) => i)],
  ["large", [10, 100_000, 65_000, 1_000, 20, 70_000, 300_000, 2, 100_000]],
])("a list of items (%s) is the same in every encoding", async (namespace, lengths) => {
  const objects = lengths.map((length, i) => ({
    metadata: { name: `c-${String(i).padStart(3, "0")}`, namespace },
    data: { text: "ä🙂".repeat(length / 2) },
  }));
  const path = await create(namespace, objects);
  const list = async (accept: string, query = ""): Promise<Uint8Array> => {
    const response = await server.handle(new Request(`http://server${path}${query}`, { headers: { accept } }));
    expect(response.status).toBe(200);
    return new Uint8Array(await response.arrayBuffer());
  };
  const texts = async (accept: string, query?: string): Promise<string> =>
    new TextDecoder().decode(await list(accept, query));

  const text = await texts("application/json");
  const json = JSON.parse(text) as object;
  expect(json).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1", items: objects });
  expect(text).toBe(`${JSON.stringify(json)}\n`);
  expect(await texts("application/json", "?pretty=true")).toBe(`${JSON.stringify(json, null, 2)}\n`);
  expect(cbor().decode(await list("application/cbor"))).toEqual(json);
  // The second list uses the encodings of the first.
  for (let i = 0; i < 2; i += 1)
    expect(protobuf().decode(await list("application/vnd.kubernetes.protobuf"))).toEqual(json);
});

it.each([
  ["PartialObjectMetadataList", "items"],
  ["Table", "rows"],
])("a large list as %s has all objects", async (as, member) => {
  const names = Array.from({ length: 30 }, (_, i) => `c-${String(i).padStart(2, "0")}`);
  const path = await create(
    as.toLowerCase(),
    names.map((name) => ({ metadata: { name, annotations: { note: "x".repeat(20_000) } } })),
  );
  const accept = `application/json;as=${as};v=v1;g=meta.k8s.io`;
  const { body } = await sendJson(server, { method: "GET", path, headers: { accept } });
  expect(Object.keys(body).at(-1)).toBe(member);
  expect(JSON.stringify(body[member]).match(/"name":"[^"]+"/g)).toEqual(names.map((name) => `"name":"${name}"`));
});

/** Requests a list without the platform's classes. */
async function serveList(path: string, headers: Readonly<Record<string, string>> = {}): Promise<BodyStream> {
  const { body } = await server.serve({
    method: "GET",
    path,
    query: "",
    header: (name) => headers[name],
    headerValues: () => [],
    headerNames: () => Object.keys(headers),
    readBody: () => Promise.resolve(new Uint8Array()),
    signal: new AbortController().signal,
  });
  return body as BodyStream;
}

const large = (value: string): readonly { readonly metadata: { readonly name: string }; readonly data: object }[] =>
  Array.from({ length: 100 }, (_, i) => ({
    metadata: { name: `c-${String(i)}` },
    data: { value, text: "x".repeat(10_000) },
  }));

it.each(["application/json", "application/cbor", "application/vnd.kubernetes.protobuf"])(
  "a large list of %s lets others run between its pieces",
  async (accept) => {
    const list = await serveList(await create(`turns-${accept.replaceAll(/\W/g, "-")}`, large("a")), { accept });
    await list.next();
    let turns = 0;
    for (let done: boolean | undefined = false; done !== true; turns += 1) {
      const events: string[] = [];
      setImmediate(() => events.push("another"));
      ({ done } = await list.next());
      expect(events).toEqual(["another"]);
    }
    expect(turns).toBeGreaterThan(2);
  },
);

it("a large list shows one revision, whatever is written while it is sent", async () => {
  const path = await create("snapshot", large("old"));
  const list = await serveList(path);
  const first = await list.next();
  await sendJson(server, { method: "DELETE", path });
  await create("snapshot", large("new"));
  server.compact();
  const text = new TextDecoder().decode(concatBytes([first.value!, await readWhole(list)]));
  const { items } = JSON.parse(text) as { items: { data: { value: string } }[] };
  expect(items.map(({ data }) => data.value)).toEqual(Array.from({ length: 100 }, () => "old"));
});

it("a large list ends when its reader leaves", async () => {
  const list = await serveList(await create("left", large("a")));
  await list.next();
  const pending = list.next();
  await list.return();
  expect([await pending, await list.next()]).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
});

it("a large list is compressed for in-process clients that accept gzip", async () => {
  const path = await create("compressed", large("a"));
  const list = await serveList(path, { "accept-encoding": "gzip" });
  const text = gunzipSync(await readWhole(list)).toString("utf8");
  expect(JSON.parse(text)).toEqual((await sendJson(server, { method: "GET", path })).body);
});

it("the audit log of responses has a large list as a whole", async () => {
  const events: AuditEvent[] = [];
  const policy = {
    rules: [{ level: "RequestResponse" as const, verbs: ["list"], resources: [{ resources: ["configmaps"] }] }],
  };
  const audited = createApiServer({ controllers: false, audit: { policy, sink: (event) => events.push(event) } });
  const path = await create("default", large("a"), audited);
  const { body } = await sendJson(audited, { method: "GET", path });
  expect(events.map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseComplete"]);
  expect(events[1]!.responseObject).toEqual(body);
  await audited.close();
});
