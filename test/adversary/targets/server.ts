import { setImmediate as nextTurn } from "node:timers/promises";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import type { Frame, Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Hostile, Target } from "../target.js";
import { Refused } from "../target.js";
import {
  cborBytes,
  cborWords,
  envelope,
  jsonWords,
  lengthField,
  podFields,
  podOf,
  yamlWords,
} from "../vocabularies.js";
import {
  aConfigMap,
  cborFrames,
  definition,
  deployment,
  heads,
  jsonPatches,
  listFrames,
  listItems,
  mergeFrames,
  objectFrames,
  podFrames,
  protobufBodies,
  schemas,
  strategic,
  targets,
  thingFrames,
  thingSchema,
  wideFrames,
  wideItems,
  yamlFrames,
} from "./server-words.js";

const maxBytes = 3 * 1024 * 1024;
/** Objects are limited to less than a body: a ConfigMap to 1 MiB of data. */
const acceptedBytes = 512 * 1024;

/** A real kube-apiserver answers 500 to these, too. */
const knownFailure =
  /etcdserver: request is too large|message larger than max|does not fit the schema|list element types are not identical|declared merge key|is not a map/;
/** Value of an ordinary member: as long as that of a real object, so that the bound doesn't come from counting members. */
const aLine = "a".repeat(120);
/** An ordinary body, which takes the whole path: Go's rules for JSON, Go's types, validation and storage. */
const ordinaryMap = (bytes: number): string =>
  ordinary(
    bytes,
    ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{', "}}", ","],
    (at) => `"k${String(at)}":"${aLine}"`,
  );

/** Request with a hostile body, and objects that exist before it. */
interface Attack {
  readonly method?: string;
  readonly path: string;
  readonly type: string;
  readonly vocabulary: Vocabulary;
  readonly setUp?: readonly (readonly [path: string, object: object])[];
  readonly wellFormed?: Target["wellFormed"];
}

/** Creates the request of an input. It may first send others, which aren't measured. */
export type ToRequest = (input: Hostile, server: ApiServer) => Request | undefined | Promise<Request | undefined>;

function bodyTarget({ method = "POST", path, type, vocabulary, setUp = [], wellFormed }: Attack): Target {
  return serverTarget({ maxBytes, acceptedBytes, vocabulary, ...(wellFormed && { wellFormed }) }, setUp, ({ bytes }) =>
    write(method, path, type, bytes),
  );
}

/** Creates a write. */
export function write(method: string, path: string, type: string, body: string | Uint8Array): Request {
  const headers = { "content-type": type, accept: "application/json" };
  return new Request(`http://localhost${path}`, { method, headers, body: body as Uint8Array<ArrayBuffer> });
}

/** Creates a target whose server holds some objects. */
export function serverTarget(
  target: Pick<Target, "maxBytes" | "acceptedBytes" | "vocabulary" | "wellFormed" | "wholeRequest">,
  setUp: NonNullable<Attack["setUp"]>,
  request: ToRequest,
): Target {
  let server: ApiServer | undefined;
  return {
    ...target,
    async prepare(input) {
      const running = (server = createApiServer());
      for (const [path, object] of setUp) await create(running, path, object);
      const hostile = await request(input, running);
      return async () => {
        if (hostile === undefined) return undefined;
        const response = await running.handle(hostile);
        const answer = Buffer.from(await response.arrayBuffer()).toString("latin1", 0, 2_000);
        if (response.status >= 500 && !knownFailure.test(answer))
          throw new Error(`${String(response.status)}: ${answer}`);
        return response.ok ? undefined : new Refused(`${String(response.status)}: ${answer}`);
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
  // A definition is served a moment after it was created.
  const served = async (): Promise<boolean> =>
    (await server.handle(new Request("http://localhost/apis/example.com/v1"))).ok;
  if (path === definitions) while (!(await served())) await nextTurn();
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const things = "/apis/example.com/v1/namespaces/default/things";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const members =
  ([before, after]: Frame | readonly [string, string], value: string) =>
  (bytes: number): string =>
    ordinary(bytes, [before, after, ","], (at) => `"k${String(at)}":${value}`);
const ordinaryPod = (bytes: number): string =>
  ordinary(bytes, [podFrames[0]![0], podFrames[0]![1], ","], (at) => `{"name":"k${String(at)}","value":"v"}`);
/** Returns the path to create an object at whose text begins with a frame. */
const pathIn = (frames: typeof listFrames, text: string): string =>
  frames.find(([, before]) => text.startsWith(before))?.[0] ?? pods;
const ordinaryThing = members([`${thingFrames[3]![0]}{`, "}}}"], `"${aLine}"`);
const ordinaryProtobuf = (bytes: number): string =>
  envelope(
    "v1",
    "ConfigMap",
    ordinary(bytes, [lengthField(1, lengthField(1, "a")), ""], (at) =>
      lengthField(2, lengthField(1, `k${String(at)}`) + lengthField(2, aLine)),
    ),
  );
/** Envelope of a Protobuf body. */
const longestHead = 128;
const aContainer = lengthField(2, lengthField(1, "c") + lengthField(2, "i"));
const fieldsOfPod = (bytes: number): string =>
  ordinary(bytes, [aContainer, ""], (at) => lengthField(7, lengthField(1, `k${String(at)}`) + lengthField(2, "v")));
// Few enough tokens that the body is read to its end.
const ordinaryYaml = (bytes: number): string =>
  ordinary(
    bytes,
    ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", ""],
    (at) => `  k${String(at)}: ${aLine}\n`,
  );

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
  "server-url": serverTarget({ maxBytes: longHead, vocabulary: targets }, [], ({ text: target }) => {
    const url = `http://localhost/${target}`;
    return URL.canParse(url) ? new Request(url) : undefined;
  }),
  "server-headers": serverTarget({ maxBytes: longHead, vocabulary: heads }, [], ({ text: value }) => {
    const name = headerNames[value.length % headerNames.length]!;
    return new Request(`http://localhost${configMaps}`, { headers: { [name]: value.replace(/[^\t -~]/g, "") } });
  }),
  "server-json": bodyTarget({
    path: configMaps,
    type: "application/json",
    vocabulary: jsonWords(objectFrames),
    wellFormed: ordinaryMap,
  }),
  "server-pod": bodyTarget({
    path: pods,
    type: "application/json",
    vocabulary: jsonWords(podFrames),
    wellFormed: ordinaryPod,
  }),
  "server-lists": serverTarget(
    {
      maxBytes,
      acceptedBytes,
      vocabulary: listItems,
      wellFormed: ordinaryPod,
      wholeRequest: true,
    },
    [],
    ({ text, bytes }) => write("POST", pathIn(listFrames, text), "application/json", bytes),
  ),
  "server-wide": serverTarget(
    { maxBytes, acceptedBytes, vocabulary: wideItems, wellFormed: ordinaryPod, wholeRequest: true },
    [],
    (input) => write("POST", pathIn(wideFrames, input.text), "application/json", input.bytes),
  ),
  // As many items as etcd can take, so that every step of a write handles all of them.
  "server-fitting": serverTarget(
    {
      maxBytes: 768 * 1024,
      acceptedBytes,
      vocabulary: { ...wideItems, junk: [] },
      wellFormed: ordinaryPod,
      wholeRequest: true,
    },
    [],
    (input) => write("POST", pathIn(wideFrames, input.text), "application/json", input.bytes),
  ),
  "server-yaml": bodyTarget({
    path: configMaps,
    type: "application/yaml",
    vocabulary: yamlWords(yamlFrames),
    wellFormed: ordinaryYaml,
  }),
  "server-cbor": bodyTarget({
    path: configMaps,
    type: "application/cbor",
    vocabulary: cborWords(cborFrames),
    wellFormed: (bytes) =>
      ordinary(bytes, [cborFrames[0]![0], cborFrames[0]![1]], (at) => cborBytes(`k${String(at)}`) + cborBytes(aLine)),
  }),
  "server-protobuf": bodyTarget({
    path: configMaps,
    type: "application/vnd.kubernetes.protobuf",
    vocabulary: protobufBodies,
    wellFormed: ordinaryProtobuf,
  }),
  "server-protobuf-fields": serverTarget(
    {
      maxBytes: maxBytes - longestHead,
      acceptedBytes,
      vocabulary: podFields,
      wellFormed: fieldsOfPod,
      wholeRequest: true,
    },
    [],
    ({ bytes }) => {
      const body = Buffer.from(podOf(Buffer.from(bytes).toString("latin1")), "latin1");
      return write("POST", pods, "application/vnd.kubernetes.protobuf", body);
    },
  ),
  "server-definition": bodyTarget({
    path: definitions,
    type: "application/json",
    vocabulary: schemas,
    wellFormed: members(schemas.frames[1]!, '{"type":"string"}'),
  }),
  "server-custom": bodyTarget({
    path: things,
    type: "application/json",
    vocabulary: jsonWords(thingFrames),
    wellFormed: ordinaryThing,
    setUp: [[definitions, definition(thingSchema)]],
  }),
  "server-json-patch": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a`,
    type: "application/json-patch+json",
    vocabulary: jsonPatches,
    wellFormed: (bytes) =>
      ordinary(bytes, ["[", "]", ","], (at) => `{"op":"add","path":"/data/k${String(at)}","value":"${aLine}"}`),
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-merge-patch": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a`,
    type: "application/merge-patch+json",
    vocabulary: jsonWords(mergeFrames),
    wellFormed: members(mergeFrames[0]!, `"${aLine}"`),
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-strategic": bodyTarget({
    method: "PATCH",
    path: "/apis/apps/v1/namespaces/default/deployments/a",
    type: "application/strategic-merge-patch+json",
    vocabulary: strategic,
    wellFormed: (bytes) =>
      ordinary(
        bytes,
        [strategic.frames[0]![0], strategic.frames[0]![1], ","],
        (at) => `{"name":"c${String(at)}","image":"i"}`,
      ),
    setUp: [["/apis/apps/v1/namespaces/default/deployments", deployment]],
  }),
  "server-apply": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a?fieldManager=a&force=true`,
    type: "application/apply-patch+yaml",
    wellFormed: ordinaryYaml,
    vocabulary: jsonWords(objectFrames),
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-apply-custom": bodyTarget({
    method: "PATCH",
    path: "/apis/example.com/v1/namespaces/default/things/a?fieldManager=a&force=true",
    type: "application/apply-patch+yaml",
    wellFormed: ordinaryThing,
    vocabulary: jsonWords(thingFrames),
    setUp: [[definitions, definition(thingSchema)]],
  }),
};
