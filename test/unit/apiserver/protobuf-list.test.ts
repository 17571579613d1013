import { afterAll, expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { protobuf } from "../../../src/codec/protobuf/protobuf.js";
import { sendJson } from "../../support/send-json.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

it("Protobuf lists equal JSON lists, also from cached encodings", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  for (const name of ["a", "b", "c"]) {
    await sendJson(server, {
      method: "POST",
      path,
      body: { metadata: { name, labels: { n: name } }, data: { [name]: "x".repeat(300) } },
    });
  }
  const read = async (accept: string): Promise<Uint8Array> =>
    new Uint8Array(
      await (await server.handle(new Request(`http://server${path}?limit=2`, { headers: { accept } }))).arrayBuffer(),
    );
  const json = JSON.parse(new TextDecoder().decode(await read("application/json"))) as {
    metadata: unknown;
    items: unknown[];
  };
  for (let round = 0; round < 2; round += 1) {
    const list = protobuf().decode(await read("application/vnd.kubernetes.protobuf")) as {
      kind: string;
      metadata: unknown;
      items: unknown[];
    };
    expect(list.kind).toBe("ConfigMapList");
    expect(list.metadata).toEqual(json.metadata);
    expect(list.items).toEqual(json.items);
  }
});
