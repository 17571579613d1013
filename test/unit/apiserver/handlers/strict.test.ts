import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

const unknown = (path: string): string => `unknown field ${JSON.stringify(path)}`;
const duplicate = (path: string): string => `duplicate field ${JSON.stringify(path)}`;

describe("what a strict decoder finds", () => {
  it.each([
    ["json", '{"metadata":{"name":"a"},"x":1,"data":{"k":"1","k":"2"}}', [unknown("x"), duplicate("data.k")]],
    ["json", '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"},"x":1}', [duplicate("data.k"), unknown("x")]],
    [
      "json",
      '{"data":{},"x":1,"metadata":{"name":"a"},"data":{},"y":1}',
      [unknown("x"), duplicate("data"), unknown("y")],
    ],
    [
      "json",
      '{"metadata":{"name":"a","ownerReferences":[{"z":1,"name":"n","name":"n"}]}}',
      [unknown("metadata.ownerReferences[0].z"), duplicate("metadata.ownerReferences[0].name")],
    ],
    [
      "yaml",
      "x: 1\nmetadata: {name: a}\ndata: {k: a}\ndata: {k: b}\n",
      ['yaml: unmarshal errors:\n  line 4: key "data" already set in map', unknown("x")],
    ],
    [
      "yaml",
      "metadata: {name: a}\ndata: {k: a, k: c}\ndata: {k: b}\n",
      ['yaml: unmarshal errors:\n  line 2: key "k" already set in map\n  line 3: key "data" already set in map'],
    ],
  ])("in %s %s", async (encoding, body, wanted) => {
    const response = await server.handle(
      new Request("http://server/api/v1/namespaces/default/configmaps?fieldValidation=Strict", {
        method: "POST",
        body,
        headers: { "content-type": `application/${encoding}` },
      }),
    );
    const { message } = (await response.json()) as { message: string };
    expect(message).toBe(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${wanted.join(", ")}`,
    );
  });
});
