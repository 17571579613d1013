import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

const unknown = (path: string): string => `unknown field ${JSON.stringify(path)}`;
const duplicate = (path: string): string => `duplicate field ${JSON.stringify(path)}`;

describe("strict decoding", () => {
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
      ['key "data" already set in map', unknown("x")],
    ],
    [
      "yaml",
      "metadata: {name: a}\ndata: {k: a, k: c}\ndata: {k: b}\n",
      ['key "k" already set in map', 'key "data" already set in map'],
    ],
  ])("of %s %s reports unknown and duplicate fields", async (encoding, body, wanted) => {
    const response = await server.handle(
      new Request("http://server/api/v1/namespaces/default/configmaps?fieldValidation=Strict", {
        method: "POST",
        body,
        headers: { "content-type": `application/${encoding}` },
      }),
    );
    const { message } = (await response.json()) as { message: string };
    expect(response.status).toBe(400);
    for (const one of wanted) expect(message).toContain(one);
  });
});
