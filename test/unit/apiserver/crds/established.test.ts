import { expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

const definitions = "http://server/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "http://server/apis/example.com/v1/namespaces/default/things";
const definition = {
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

const post = (url: string, body: object): Request =>
  new Request(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

it("a definition is served as soon as a watch shows it as Established", async () => {
  for (let round = 0; round < 5; round++) {
    await using server = createApiServer();
    const watch = await server.handle(new Request(`${definitions}?watch=1&resourceVersion=0`));
    const events = watch.body!.pipeThrough(new TextDecoderStream()).getReader();
    await server.handle(post(definitions, definition));
    let text = "";
    while (!/"type":"Established","status":"True"/.test(text)) text += (await events.read()).value ?? "";
    const created = await server.handle(
      post(things, { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" } }),
    );
    expect(created.status).toBe(201);
    await events.cancel();
  }
});
