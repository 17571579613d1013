import { createApiServer } from "../../../src/apiserver/server.js";
import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { jsonWords } from "../vocabularies.js";

const discovery = jsonWords([
  ['{"resources":[', "]}"],
  ['{"resources":[{"name":"a","verbs":["get"],', "}]}"],
  ['{"resources":[{"name":"a","verbs":', "}]}"],
  ["{", "}"],
]);
const reference = '{"schema":{"$ref":"#/definitions/A"}}';
const apiService = JSON.stringify({
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.example.com" },
  spec: {
    group: "example.com",
    version: "v1",
    service: { namespace: "a", name: "b" },
    insecureSkipTLSVerify: true,
    groupPriorityMinimum: 1,
    versionPriority: 1,
  },
});

const swagger = jsonWords([
  ['{"swagger":"2.0","paths":{"/apis/example.com/v1/as":{"get":{"parameters":[', "]}}}}"],
  ['{"swagger":"2.0","paths":{"/apis/example.com/v1/as":{"get":{"responses":{"200":{"schema":', "}}}}}}"],
  ['{"swagger":"2.0","paths":{"/apis/example.com/v1/as":', "}}"],
  [`{"paths":{"/apis/example.com/":{"get":${reference}}},"definitions":{"A":{"properties":{"a":`, "}}}}"],
  [`{"paths":{"/apis/example.com/":{"get":${reference}}},"definitions":{"A":`, "}}"],
  [`{"paths":{"/apis/example.com/":{"get":${reference}}},"definitions":{"A":{"allOf":[`, "]}}}"],
  ['{"paths":{"apis/example.com/v1":{"serverRelativeURL":', "}}}"],
  ["{", "}"],
]);
const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** Paths of an aggregated API server whose answers are hostile, and requests that lead to them. */
interface Attack {
  readonly vocabulary: Vocabulary;
  readonly wellFormed: NonNullable<Target["wellFormed"]>;
  readonly isHostile: (path: string) => boolean;
  readonly requests: readonly (readonly [path: string, accept: string])[];
}

function aggregatedTarget({ vocabulary, wellFormed, isHostile, requests }: Attack): Target {
  let close: (() => Promise<void>) | undefined;
  return {
    vocabulary,
    wellFormed,
    async prepare({ bytes }) {
      const answer = async ({ url }: Request): Promise<Response> => {
        const body = isHostile(new URL(url).pathname) ? (bytes as Uint8Array<ArrayBuffer>) : '{"resources":[]}';
        return new Response(body, { headers: { "content-type": "application/json" } });
      };
      const server = createApiServer({ resolveService: () => answer });
      close = () => server.close();
      const headers = { "content-type": "application/json" };
      const path = "http://localhost/apis/apiregistration.k8s.io/v1/apiservices";
      return async () => {
        await server.handle(new Request(path, { method: "POST", headers, body: apiService }));
        await server.settled();
        for (const [target, accept] of requests) {
          const request = new Request(`http://localhost${target}`, { headers: { accept } });
          const response = await server.handle(request);
          const text = await response.text();
          if (response.status >= 500 && response.status !== 503) throw new Error(`${String(response.status)}: ${text}`);
        }
      };
    },
    async cleanUp() {
      await close?.();
    },
  };
}

const forms = ["application/json", "application/vnd.kubernetes.protobuf"].map(
  (type) => `${type};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
);

/** Aggregated API servers: their discovery, their OpenAPI documents, and their answers to requests. */
export const aggregated: Record<string, Target> = {
  "aggregated-api": aggregatedTarget({
    vocabulary: discovery,
    wellFormed: (bytes) =>
      ordinary(
        bytes,
        ['{"resources":[', "]}", ","],
        (at) => `{"name":"a${String(at)}","kind":"A","namespaced":true,"verbs":["get"]}`,
      ),
    isHostile: () => true,
    requests: [...forms.map((accept) => ["/apis", accept] as const), ["/apis/example.com/v1/a", "application/json"]],
  }),
  "aggregated-openapi": aggregatedTarget({
    vocabulary: swagger,
    wellFormed: (bytes) =>
      ordinary(
        bytes,
        [`{"paths":{"/apis/example.com/":{"get":${reference}}},"definitions":{"A":{"properties":{`, "}}}}", ","],
        (at) => `"a${String(at)}":{"type":"string","description":"A"}`,
      ),
    isHostile: (path) => path.startsWith("/openapi/"),
    requests: [
      ["/openapi/v2", "application/json"],
      ["/openapi/v2", protobuf],
      ["/openapi/v3", "application/json"],
      ["/openapi/v3/apis/example.com/v1", "application/json"],
    ],
  }),
};
