import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import type { Vocabulary } from "../shapes.js";
import type { Hostile, Target } from "../target.js";
import { cborWords, jsonWords, yamlWords } from "../vocabularies.js";
import {
  aConfigMap,
  cborFrames,
  definition,
  deployment,
  heads,
  jsonPatches,
  mergeFrames,
  objectFrames,
  podFrames,
  protobufBodies,
  schemas,
  strategic,
  targets,
  thingFrames,
  thingSchema,
  yamlFrames,
} from "./server-words.js";

const maxBytes = 3 * 1024 * 1024;

/** A real kube-apiserver answers 500 to these, too. */
const knownFailure =
  /etcdserver: request is too large|message larger than max|does not fit the schema|list element types are not identical|declared merge key|is not a map/;
/** A body is parsed by Go's rules, decoded into Go's types, validated and stored. A wrong value of two bytes has an error. */
const wholeRequest = { cpuFactor: 150, cpuMs: 150, memoryFactor: 60 };

/** Request with a hostile body, and objects that exist before it. */
interface Attack {
  readonly method?: string;
  readonly path: string;
  readonly type: string;
  readonly vocabulary: Vocabulary;
  readonly setUp?: readonly (readonly [path: string, object: object])[];
  readonly allowance?: Target["allowance"];
}

function bodyTarget({ method = "POST", path, type, vocabulary, setUp = [], allowance = wholeRequest }: Attack): Target {
  return serverTarget(
    { maxBytes, vocabulary, allowance },
    setUp,
    ({ bytes }) =>
      new Request(`http://localhost${path}`, {
        method,
        headers: { "content-type": type, accept: "application/json" },
        body: bytes as Uint8Array<ArrayBuffer>,
      }),
  );
}

function serverTarget(
  target: Pick<Target, "maxBytes" | "vocabulary" | "allowance">,
  setUp: NonNullable<Attack["setUp"]>,
  request: (input: Hostile) => Request | undefined,
): Target {
  let server: ApiServer | undefined;
  return {
    ...target,
    async prepare(input) {
      const running = (server = createApiServer());
      for (const [path, object] of setUp) await create(running, path, object);
      const hostile = request(input);
      return async () => {
        if (hostile === undefined) return;
        const response = await running.handle(hostile);
        const answer = Buffer.from(await response.arrayBuffer()).toString("latin1", 0, 2_000);
        if (response.status >= 500 && !knownFailure.test(answer))
          throw new Error(`${String(response.status)}: ${answer}`);
      };
    },
    async cleanUp() {
      await server?.close();
      server = undefined;
    },
  };
}

async function create(server: ApiServer, path: string, object: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(object);
  const response = await server.handle(new Request(`http://localhost${path}`, { method: "POST", headers, body }));
  if (!response.ok) throw new Error(`setting up ${path}: ${await response.text()}`);
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** A body of the 400,000 tokens that the server reads takes most of a second, in trees of some 300 bytes per token. */
const fewTokens = { cpuFactor: 120, cpuMs: 1_000, memoryFactor: 120 };

/** Longest head of a request that Node accepts. */
const longHead = 16 * 1024;
const headerNames = [
  "accept",
  "authorization",
  "impersonate-user",
  "impersonate-extra-a",
  "accept-encoding",
  "if-none-match",
];

/** The embedded server: everything that happens to a request with a body. */
export const server: Record<string, Target> = {
  "server-url": serverTarget(
    { maxBytes: longHead, vocabulary: targets, allowance: wholeRequest },
    [],
    ({ text: target }) => {
      const url = `http://localhost/${target}`;
      return URL.canParse(url) ? new Request(url) : undefined;
    },
  ),
  "server-headers": serverTarget(
    { maxBytes: longHead, vocabulary: heads, allowance: wholeRequest },
    [],
    ({ text: value }) => {
      const name = headerNames[value.length % headerNames.length]!;
      return new Request(`http://localhost${configMaps}`, { headers: { [name]: value.replace(/[^\t -~]/g, "") } });
    },
  ),
  "server-json": bodyTarget({ path: configMaps, type: "application/json", vocabulary: jsonWords(objectFrames) }),
  "server-pod": bodyTarget({ path: pods, type: "application/json", vocabulary: jsonWords(podFrames) }),
  "server-yaml": bodyTarget({
    path: configMaps,
    type: "application/yaml",
    vocabulary: yamlWords(yamlFrames),
    allowance: fewTokens,
  }),
  "server-cbor": bodyTarget({ path: configMaps, type: "application/cbor", vocabulary: cborWords(cborFrames) }),
  "server-protobuf": bodyTarget({
    path: configMaps,
    type: "application/vnd.kubernetes.protobuf",
    vocabulary: protobufBodies,
  }),
  "server-definition": bodyTarget({ path: definitions, type: "application/json", vocabulary: schemas }),
  "server-custom": bodyTarget({
    path: "/apis/example.com/v1/namespaces/default/things",
    type: "application/json",
    vocabulary: jsonWords(thingFrames),
    setUp: [[definitions, definition(thingSchema)]],
  }),
  "server-json-patch": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a`,
    type: "application/json-patch+json",
    vocabulary: jsonPatches,
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-merge-patch": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a`,
    type: "application/merge-patch+json",
    vocabulary: jsonWords(mergeFrames),
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-strategic": bodyTarget({
    method: "PATCH",
    path: "/apis/apps/v1/namespaces/default/deployments/a",
    type: "application/strategic-merge-patch+json",
    vocabulary: strategic,
    setUp: [["/apis/apps/v1/namespaces/default/deployments", deployment]],
  }),
  "server-apply": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a?fieldManager=a&force=true`,
    type: "application/apply-patch+yaml",
    allowance: fewTokens,
    vocabulary: jsonWords(objectFrames),
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-apply-custom": bodyTarget({
    method: "PATCH",
    path: "/apis/example.com/v1/namespaces/default/things/a?fieldManager=a&force=true",
    type: "application/apply-patch+yaml",
    allowance: fewTokens,
    vocabulary: jsonWords(thingFrames),
    setUp: [[definitions, definition(thingSchema)]],
  }),
};
