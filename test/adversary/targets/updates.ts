import type { Vocabulary } from "../shapes.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { serverTarget, write } from "./server.js";
import { definition, deployment, podFrames, thingFrames, thingSchema } from "./server-words.js";

/** List or map in an object, whose entries are built from the words of an input. */
interface Collection {
  readonly path: string;
  /** Text before and after the entries. */
  readonly frame: readonly [before: string, after: string];
  entry(word: string): string;
}

const pods = "/api/v1/namespaces/default/pods";
const things = "/apis/example.com/v1/namespaces/default/things";
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
    "/api/v1/namespaces/default/configmaps",
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
};

const words: Vocabulary = {
  frames: Object.keys(collections).map((letter) => [`${letter}x,`, ""]),
  pairs: [],
  values: [(at) => `a${String(at)}`, (at) => `b${String(at)}`, (at) => `c${String(at >> 1)}`],
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
    const apply = (manager: string): Request =>
      write("PATCH", `${path}/a?fieldManager=${manager}`, "application/apply-patch+yaml", body);
    const first = await server.handle(apply("a"));
    await first.arrayBuffer();
    return first.ok ? apply("b") : undefined;
  }),
};
