import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { protobuf } from "../../../../src/codec/protobuf/protobuf.js";
import { parseYaml } from "../../../../src/internal/yaml/yaml.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

const proto = "application/vnd.kubernetes.protobuf";

describe("media types of discovery documents", () => {
  it.each([
    ["/version", `${proto},application/json`, 200, "application/json"],
    ["/version", "application/json;as=Table;v=v1;g=meta.k8s.io", 200, "application/json"],
    ["/version", "*/*", 200, "application/json"],
    ["/version", "application/*", 406, "application/json"],
    ["/version", proto, 406, proto],
    ["/version", "application/yaml", 406, "application/yaml"],
    ["/version", "application/cbor", 406, "application/json"],
    ["/", "text/plain", 200, "application/json"],
    ["/", proto, 200, "application/json"],
    ["/api", `${proto},application/json`, 200, proto],
    ["/api", "application/cbor", 406, "application/json"],
    ["/api", "application/*", 406, "application/json"],
    ["/apis", "application/*", 200, "application/json"],
    ["/apis/apps", "application/yaml", 200, "application/yaml"],
    ["/apis/apps", "application/cbor", 406, "application/json"],
    ["/apis/apps/v1", "application/cbor", 200, "application/cbor"],
    ["/apis/apps/v1", "application/*", 406, "application/json"],
    ["/apis/apps/v1", proto, 200, proto],
  ])("%s with Accept %s is answered with %i in %s", async (path, accept, status, type) => {
    const response = await server.handle(new Request(`http://server${path}`, { headers: { accept } }));
    expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
    await response.arrayBuffer();
  });

  // First bytes of the envelope, as kube-apiserver writes them: the oldest documents have no apiVersion.
  it.each([
    ["/api", "k8s\0\n\x0f\n\0\x12\x0bAPIVersions"],
    ["/api/v1", "k8s\0\n\x13\n\0\x12\x0fAPIResourceList"],
    ["/apis", "k8s\0\n\x12\n\x02v1\x12\x0cAPIGroupList"],
    ["/apis/apps", "k8s\0\n\x0e\n\x02v1\x12\x08APIGroup"],
    ["/apis/apps/v1", "k8s\0\n\x15\n\x02v1\x12\x0fAPIResourceList"],
  ])("%s has the same content in Protobuf and JSON", async (path, envelope) => {
    const [bytes, json] = await Promise.all(
      [proto, "application/json"].map(
        async (accept) =>
          new Uint8Array(
            await (await server.handle(new Request(`http://server${path}`, { headers: { accept } }))).arrayBuffer(),
          ),
      ),
    );
    expect(String.fromCharCode(...bytes!.subarray(0, envelope.length))).toBe(envelope);
    expect(protobuf().decode(bytes!)).toEqual(JSON.parse(new TextDecoder().decode(json)));
  });

  const form = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

  it.each(["/api", "/apis"])("%s has the same aggregated content in JSON, YAML and Protobuf", async (path) => {
    const get = async (type: string): Promise<[Uint8Array, string | null]> => {
      const headers = { accept: `${type}${form},application/json` };
      const response = await server.handle(new Request(`http://server${path}`, { headers }));
      expect([response.status, response.headers.get("content-type")]).toEqual([200, `${type}${form}`]);
      return [new Uint8Array(await response.arrayBuffer()), response.headers.get("etag")];
    };
    const [json, etag] = await get("application/json");
    const document = JSON.parse(new TextDecoder().decode(json)) as object;
    const [bytes, protoEtag] = await get(proto);
    const [yaml] = await get("application/yaml");
    expect(protobuf().decode(bytes)).toEqual(document);
    expect(parseYaml(new TextDecoder().decode(yaml))).toEqual(document);
    expect(protoEtag).toBe(etag);
  });

  it("a 406 for another version of the aggregated document lists the available types", async () => {
    const accept = `${proto};g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList`;
    const response = await server.handle(new Request("http://server/api", { headers: { accept } }));
    expect(await response.json()).toMatchObject({
      code: 406,
      message: `only the following media types are accepted: application/json, application/yaml, ${proto}`,
    });
  });

  it("a 406 lists the available types", async () => {
    const response = await server.handle(new Request("http://server/version", { headers: { accept: "text/plain" } }));
    expect(await response.json()).toMatchObject({
      code: 406,
      details: {},
      message: "406: Not Acceptable\n\nAvailable representations: application/json",
    });
  });
});
