import type { Frame, Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { serverTarget, write } from "./server.js";
import { definition, deployment, objectFrames, podFrames, thingFrames, thingSchema } from "./server-words.js";

/** List or map in an object, whose entries are built from the words of an input. */
interface Collection {
  readonly path: string;
  /** Text before and after the entries. */
  readonly frame: readonly [before: string, after: string];
  entry(word: string): string;
}

const pods = "/api/v1/namespaces/default/pods";
const things = "/apis/example.com/v1/namespaces/default/things";
const configMaps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const [beforeContainers, afterContainers] = JSON.stringify(deployment).split('{"name":"c","image":"i"}') as [
  string,
  string,
];
const variable = (word: string): string => `{"name":"${word}","value":"v"}`;
const named = (word: string): string => `{"name":"${word}"}`;
const text = (word: string): string => `"${word}"`;
const member = (word: string): string => `"${word}":"a"`;
const inFrame = (
  path: string,
  frame: readonly [string, string, ...unknown[]],
  entry: Collection["entry"],
): Collection => ({
  path,
  frame: [frame[0], frame[1]],
  entry,
});

const portOf = (word: string): string => String(3 + (Number(`1${word.replace(/\D/g, "")}`) % 65_000));

/** Collections by the first letter of an input. */
const collections: Readonly<Record<string, Collection>> = {
  a: inFrame(pods, podFrames[0]!, variable),
  b: inFrame(pods, podFrames[5]!, (word) => `{"key":"${word}","operator":"Exists"}`),
  c: inFrame(pods, podFrames[4]!, (word) => `{"name":"${word}","emptyDir":{}}`),
  d: inFrame(things, thingFrames[0]!, text),
  e: inFrame(things, thingFrames[1]!, named),
  f: inFrame(things, [`${thingFrames[3]![0]}{`, "}}}"], member),
  g: inFrame(things, thingFrames[2]!, member),
  h: inFrame(deployments, [`${beforeContainers}{"name":"c","image":"i","env":[`, `]}${afterContainers}`], variable),
  i: inFrame(
    deployments,
    [`${beforeContainers}{"name":"c","image":"i"},`, afterContainers],
    (word) => `{"name":"${word}","image":"i"}`,
  ),
  j: inFrame(deployments, [`${beforeContainers}{"name":"c","image":"i","args":[`, `]}${afterContainers}`], text),
  k: inFrame(
    configMaps,
    ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","ownerReferences":[', "]}}"],
    (word) => `{"uid":"${word}","name":"a","kind":"B","apiVersion":"v1"}`,
  ),
  l: inFrame(
    "/api/v1/namespaces/default/services",
    ['{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"ports":[', ',{"name":"p","port":1}]}}'],
    (word) => `{"name":"${word}","port":${portOf(word)}}`,
  ),
  m: inFrame(
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
    ['{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"a"},"rules":[', "]}"],
    (word) => `{"apiGroups":[""],"resources":["${word}"],"verbs":["get"]}`,
  ),
  n: inFrame(configMaps, objectFrames[0]!, member),
  o: inFrame(configMaps, objectFrames[2]!, member),
};

const words: Vocabulary = {
  frames: Object.keys(collections).map((letter) => [`${letter}x,`, ""]),
  pairs: [],
  values: [
    (at) => `a${String(at)}`,
    (at) => `b${String(at)}`,
    (at) => `c${String(at >> 1)}`,
    (at) => `d${String((at * 40_503) % 65_536)}`,
  ],
  junk: ["A"],
  joints: [","],
};
const target: Pick<Target, "vocabulary" | "maxBytes" | "wellFormed"> = {
  // Managed fields take several times as many bytes as the words, and an object is limited to 2 MiB.
  maxBytes: 96 * 1024,
  vocabulary: words,
  wellFormed: (bytes) => ordinary(bytes, ["ax,", "", ","], (at) => `a${String(at)}`),
};
const definitions: readonly (readonly [string, object])[] = [
  ["/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(thingSchema)],
];

function bodyOf(input: string): { readonly path: string; readonly body: string } {
  const { path, frame, entry } = collections[input[0] ?? ""] ?? collections["a"]!;
  const [before, after] = frame;
  return {
    path,
    body:
      before +
      input
        .replace(/[^a-z0-9,]/g, "")
        .split(",")
        .map(entry)
        .join(",") +
      after,
  };
}

/** Writes of a large object that an apply has written. Each takes the text of that apply. */
const rewrites: readonly ((path: string, body: string) => Request)[] = [
  (path, body) => apply(path, "b", body),
  (path, body) => apply(path, "a", body.replace('"name":"a"', '"name":"a","labels":{"x":"b"}')),
  (path, body) => apply(path, "a", `{${/"apiVersion":"[^"]*","kind":"[^"]*",/.exec(body)![0]}"metadata":{"name":"a"}}`),
  (path) => write("PATCH", path, "application/merge-patch+json", labelPatch),
  (path) => write("PATCH", path, "application/json-patch+json", `[{"op":"add","path":"/metadata/labels","value":{}}]`),
];
const labelPatch = '{"metadata":{"labels":{"x":"b"}}}';

function apply(path: string, manager: string, body: string): Request {
  return write("PATCH", `${path}?fieldManager=${manager}&force=true`, "application/apply-patch+yaml", body);
}

/** Letters of collections that the rewrites of a large object begin with, each with the number of a rewrite. */
const large = "dfhmno";
const largeWords: Vocabulary = {
  ...words,
  junk: [],
  frames: [...large].flatMap((letter) => rewrites.map((_, at): Frame => [`${letter}${String(at)},`, ""])),
};

/** Writes of objects that exist, where the work is to compare two versions. */
export const updates: Record<string, Target> = {
  "server-update": serverTarget(target, definitions, async ({ text: input }, server) => {
    const { path, body } = bodyOf(input);
    const created = await server.handle(write("POST", path, "application/json", body));
    const answer = await created.text();
    if (!created.ok) return undefined;
    const changed = answer.replace('"name":"a"', '"name":"a","labels":{"a":"b"}');
    return write("PUT", `${path}/a`, "application/json", changed);
  }),
  "server-apply-again": serverTarget(target, definitions, async ({ text: input }, server) => {
    const { path, body } = bodyOf(input);
    const first = await server.handle(apply(`${path}/a`, "a", body));
    await first.arrayBuffer();
    return first.ok ? apply(`${path}/a`, "b", body) : undefined;
  }),
  // Objects of about the size that etcd can take: each step of a write visits all of one.
  "server-large": serverTarget(
    { ...target, vocabulary: largeWords, maxBytes: 144 * 1024, acceptedBytes: 16 * 1024, wholeRequest: true },
    definitions,
    async ({ text: input }, server) => {
      let count = 0;
      const { path, body } = bodyOf(input.replace(/,(?=.)/g, () => `n${String(count++)},`));
      const first = await server.handle(apply(`${path}/a`, "a", body));
      await first.arrayBuffer();
      return first.ok ? (rewrites[Number(input[1])] ?? rewrites[0]!)(`${path}/a`, body) : undefined;
    },
  ),
};
