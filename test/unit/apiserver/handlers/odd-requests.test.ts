// Responses of kube-apiserver 1.36 to unusual paths and bodies; the end-to-end suite compares many more with a running
// server.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

const server = createApiServer({ controllers: false });
const configMaps = "/api/v1/namespaces/default/configmaps";
const widgets = "/apis/odd.test/v1/namespaces/default/widgets";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly warning: string | null;
}

async function send(method: string, path: string, type = "", body?: string | Uint8Array): Promise<Answer> {
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method,
      headers: type === "" ? {} : { "content-type": type },
      ...(body === undefined ? {} : { body: body as BodyInit }),
    }),
  );
  const text = await response.text();
  const { message } = text.startsWith("{") ? (JSON.parse(text) as { message?: string }) : { message: text };
  return { status: response.status, text: message ?? "", warning: response.headers.get("warning") };
}

beforeAll(async () => {
  await send("POST", configMaps, "application/json", JSON.stringify({ metadata: { name: "there" } }));
  await send(
    "POST",
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "application/json",
    JSON.stringify({
      metadata: { name: "widgets.odd.test" },
      spec: {
        group: "odd.test",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    }),
  );
  await server.settled();
});
afterAll(() => server.close());

describe("unusual paths", () => {
  // The platform's URL class removes dot segments unless they are escaped.
  it.each([
    ["GET", "//version", 404],
    ["GET", "/version/", 200],
    ["GET", "/version/x", 404],
    ["GET", "/apis//", 404],
    ["GET", "/api/v1/namespaces//", 200],
    ["GET", `${configMaps}/there//`, 200],
    ["GET", `/${configMaps}/there`, 404],
    ["GET", "/api/v1/namespaces//configmaps/there", 400],
    ["GET", `${configMaps}/%25`, 400],
    ["DELETE", `${configMaps}/%25`, 400],
    ["GET", `${configMaps}/%zz`, 400],
    ["GET", `${configMaps}/%ff`, 404],
    ["GET", "/api/v1/watch", 500],
    ["GET", "/api/v1/proxy/namespaces/default/pods/x", 404],
    ["GET", `${configMaps}?labelSelector=a%00)`, 200],
    ["OPTIONS", widgets, 405],
    ["PUT", widgets, 400],
    ["PATCH", widgets, 415],
    ["POST", `${widgets}/there`, 400],
  ])("%s %s is answered with %i", async (method, path, status) => {
    expect((await send(method, path)).status).toBe(status);
  });
});

const object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n";
const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)));
const cbor = (...rest: number[]): Uint8Array => Uint8Array.from([0xd9, 0xd9, 0xf7, ...rest]);

describe("unusual bodies", () => {
  it.each([
    ["two documents", "yaml", `${object}---\nkind: Pod\n`, 201],
    ["a broken second document", "yaml", `${object}---\n{[`, 201],
    ["garbage after the document end", "yaml", `---\n${object}...\n{[`, 201],
    ["YAML 1.1", "yaml", `%YAML 1.1\n---\n${object}`, 201],
    ["YAML 1.2", "yaml", `%YAML 1.2\n---\n${object}`, 400],
    [
      "UTF-16",
      "yaml",
      bytes(
        [0xff, 0xfe],
        [...object].flatMap((character) => [character.charCodeAt(0), 0]),
      ),
      201,
    ],
    ["invalid UTF-8", "yaml", bytes(object, 'data: {a: "', [0xff], '"}'), 400],
    ["truncated UTF-8", "yaml", bytes(object, [0xc3]), 400],
    ["broken UTF-8", "yaml", bytes(object, [0xc3, 0x28]), 400],
    ["a control character", "yaml", `${object}data: {a: "\u0001"}`, 400],
    ["a recursive alias", "yaml", "a: &a [*a]\n", 400],
    ["infinity", "yaml", `${object}data: {a: -.inf}`, 400],
    ["nothing", "cbor", Uint8Array.of(), 400],
    ["a list", "cbor", cbor(0x80), 400],
    ["a number", "cbor", cbor(1), 400],
    ["null", "cbor", cbor(0xf6), 422],
    ["a truncated map", "cbor", cbor(0xa1, 0x41), 400],
    ["two items", "cbor", cbor(0xa0, 0xa0), 400],
    ["a break", "cbor", Uint8Array.of(0xff), 400],
    ["reserved bits", "cbor", cbor(0x1c), 400],
    ["a half-precision NaN", "cbor", cbor(0xa1, 0x41, 0x61, 0xf9, 0x7e, 0), 400],
    ["a double-precision infinity", "cbor", cbor(0xa1, 0x41, 0x61, 0xfb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0), 400],
    ["a single-precision NaN", "cbor", cbor(0xa1, 0x41, 0x61, 0xfa, 0x7f, 0xc0, 0, 0), 400],
    ["a big number", "cbor", cbor(0xa1, 0x41, 0x61, 0xc2, 0x41, 1), 400],
    ["a list with 2^60 items", "cbor", cbor(0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0), 400],
    ["nothing", "vnd.kubernetes.protobuf", Uint8Array.of(), 400],
    ["only the magic number", "vnd.kubernetes.protobuf", bytes("k8s", [0]), 400],
    ["a truncated message", "vnd.kubernetes.protobuf", bytes("k8s", [0, 0x0a, 0x7f]), 400],
  ])("%s as %s", async (_, type, body, status) => {
    const answer = await send("POST", `${configMaps}?dryRun=All`, `application/${type}`, body);
    expect(answer.status).toBe(status);
    expect(answer.text === "").toBe(status === 201);
  });

  it("an unknown CBOR field is reported by its path", async () => {
    expect(
      (
        await send(
          "POST",
          `${configMaps}?dryRun=All`,
          "application/cbor",
          cbor(0xa2, 0x44, 0x6b, 0x69, 0x6e, 0x64, 0x69, ...new TextEncoder().encode("ConfigMap"), 0x41, 0x78, 0x01),
        )
      ).warning,
    ).toMatch(/^299 - "[^"]*unknown field/);
  });

  // The object is the first level, and unknown fields are dropped.
  it.each([
    [5_000, 201],
    [9_999, 201],
    [10_000, 400],
  ])("an object with %d levels of JSON below it is answered with %d", async (levels, status) => {
    const nested = `{"metadata":{"name":"deep"},"x":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;
    expect((await send("POST", `${configMaps}?dryRun=All`, "application/json", nested)).status).toBe(status);
  });

  it.each([
    ["", 201],
    [" ", 201],
    ["APPLICATION/JSON; charset=utf-8", 201],
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["*/*", 415],
    ["garbage", 415],
  ])('a body with the content type "%s" is answered with %d', async (type, status) => {
    const body = new TextEncoder().encode('{"metadata":{"name":"typed"}}');
    expect((await send("POST", `${configMaps}?dryRun=All`, type, body)).status).toBe(status);
  });

  it("an object nested too deeply is rejected and not stored", async () => {
    const before = server.dumpYaml({ kinds: ["ConfigMap"] });
    const answer = await send(
      "PATCH",
      `${configMaps}/there`,
      "application/merge-patch+json",
      `{"x":${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}}`,
    );
    expect(answer.status).toBe(400);
    expect(server.dumpYaml({ kinds: ["ConfigMap"] })).toBe(before);
  });
});
