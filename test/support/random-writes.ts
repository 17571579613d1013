/** Request of a random sequence. */
export interface RandomWrite {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: unknown;
}

/** Names to use for the namespace under test. */
export interface WriteTarget {
  readonly kind: "ConfigMap" | "Deployment" | "Service" | "Widget";
  readonly namespace: string;
  readonly name: string;
}

const collections: Readonly<
  Record<WriteTarget["kind"], { readonly apiVersion: string; readonly path: (namespace: string) => string }>
> = {
  ConfigMap: { apiVersion: "v1", path: (namespace) => `/api/v1/namespaces/${namespace}/configmaps` },
  Service: { apiVersion: "v1", path: (namespace) => `/api/v1/namespaces/${namespace}/services` },
  Deployment: { apiVersion: "apps/v1", path: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments` },
  Widget: { apiVersion: "fuzz.cf.dev/v1", path: (namespace) => `/apis/fuzz.cf.dev/v1/namespaces/${namespace}/widgets` },
};

/** Definition of the widgets that the sequences write. */
export const widgetDefinition: object = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.fuzz.cf.dev" },
  spec: {
    group: "fuzz.cf.dev",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  text: { type: "string", maxLength: 3 },
                  size: { type: "integer", default: 7, minimum: 1 },
                  ratio: { type: "number" },
                  maybe: { type: "string", nullable: true },
                  ios: { "x-kubernetes-int-or-string": true },
                  gran: { type: "object", additionalProperties: { type: "string" } },
                  atom: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: { type: "string" } },
                  any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  set: { type: "array", maxItems: 10, "x-kubernetes-list-type": "set", items: { type: "string" } },
                  list: { type: "array", maxItems: 10, items: { type: "string" } },
                  map: {
                    type: "array",
                    maxItems: 10,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name", "port"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: {
                        name: { type: "string" },
                        port: { type: "integer", default: 80 },
                        v: { type: "integer" },
                      },
                    },
                  },
                },
                "x-kubernetes-validations": [
                  { rule: "!has(self.ratio) || self.ratio < 2.0", message: "ratio too high" },
                  {
                    rule: "!has(self.set) || self.set.all(x, x.size() < 3)",
                    messageExpression: "'long: ' + self.set.join(',')",
                  },
                ],
              },
              status: { type: "object", properties: { phase: { type: "string" }, count: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

/** Creates a seeded random number generator. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Creates a random write to one object: applies with and without force, replacements, and patches of every type,
 * including invalid ones.
 */
export function randomWrite(
  target: WriteTarget,
  random: () => number,
  live: Readonly<Record<string, unknown>> | undefined,
): RandomWrite {
  const maybe = (chance: number): boolean => random() < chance;
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const some = <T>(items: readonly T[], chance = 0.5): T[] => {
    const chosen = items.filter(() => maybe(chance));
    return maybe(0.3) ? chosen.reverse() : chosen;
  };
  const texts = (): Record<string, string> =>
    Object.fromEntries(some(["a", "b", "c"]).map((key) => [key, pick(["1", "2"])]));
  const put = (chance: number, members: () => object): object => (maybe(chance) ? members() : {});
  const container = (name: string): object => ({
    name,
    image: pick(["i", "j"]),
    ...put(0.4, () => ({ env: some(["A", "B", "C"]).map((key) => ({ name: key, value: pick(["1", "2"]) })) })),
    ...put(0.4, () => ({
      ports: some([0, 1])
        .map((offset) => 80 + offset + 2 * ["c1", "c2", "c3"].indexOf(name))
        .map((containerPort) => ({
          containerPort,
          ...put(0.3, () => ({ name: `p${containerPort}` })),
          ...put(0.3, () => ({ protocol: pick(["TCP", "UDP"]) })),
        })),
    })),
    ...put(0.3, () => ({ resources: { limits: { cpu: pick(["1", "1000m", "2"]) } } })),
    ...put(0.2, () => ({ args: some(["x", "y"]) })),
  });
  const bodies: Readonly<Record<WriteTarget["kind"], () => object>> = {
    ConfigMap: () => ({
      ...put(0.8, () => ({ data: texts() })),
      ...put(0.1, () => ({ binaryData: { z: "aGk=" } })),
      ...put(0.03, () => ({ nope: 1 })),
    }),
    Service: () => ({
      spec: {
        ...put(0.6, () => ({ selector: texts() })),
        ports: some([80, 81, 82], 0.6)
          .concat([83])
          .map((port) => ({
            port,
            name: `n${port}`,
            ...put(0.3, () => ({ targetPort: pick<string | number>([8080, "http"]) })),
          })),
      },
    }),
    Deployment: () => ({
      spec: {
        ...put(0.5, () => ({ replicas: pick([1, 2]) })),
        selector: { matchLabels: { app: "a" } },
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            containers: [container("c1"), ...some(["c2", "c3"]).map(container)],
            ...put(0.3, () => ({ volumes: some(["v", "w"]).map((name) => ({ name, emptyDir: {} })) })),
            ...put(0.2, () => ({ tolerations: [{ key: "k", operator: "Exists" }] })),
          },
        },
        ...put(0.2, () => ({ strategy: { type: pick(["Recreate", "RollingUpdate"]) } })),
      },
    }),
    Widget: () => ({
      spec: {
        ...put(0.4, () => ({ text: pick(["a", "bc", "long"]) })),
        ...put(0.3, () => ({ size: pick<unknown>([1, 2, 0, 1.5, "x"]) })),
        ...put(0.3, () => ({ ratio: pick([0.5, 1, 3]) })),
        ...put(0.2, () => ({ maybe: pick([null, "x"]) })),
        ...put(0.2, () => ({ ios: pick<unknown>([1, "50%", true]) })),
        ...put(0.4, () => ({ gran: texts() })),
        ...put(0.3, () => ({ atom: texts() })),
        ...put(0.3, () => ({ any: pick<unknown>([{}, { x: { y: 1 } }, { x: [1], z: null }]) })),
        ...put(0.4, () => ({ set: some(["p", "q", "rrr"], 0.4) })),
        ...put(0.2, () => ({ list: some(["p", "q"]) })),
        ...put(0.5, () => ({
          map: some(["m", "n", "o"]).map((name) => ({
            name,
            ...put(0.3, () => ({ port: pick([80, 81]) })),
            ...put(0.5, () => ({ v: pick([1, 2]) })),
          })),
        })),
        ...put(0.1, () => ({ unknown: 1 })),
      },
      ...put(0.2, () => ({ status: { phase: pick(["A", "B"]), count: pick([1, 2]) } })),
    }),
  };
  const { apiVersion, path } = collections[target.kind];
  const collection = path(target.namespace);
  const metadata = {
    name: target.name,
    ...put(0.3, () => ({ labels: texts() })),
    ...put(0.1, () => ({ annotations: texts() })),
  };
  const whole = { apiVersion, kind: target.kind, metadata, ...bodies[target.kind]() };
  const status = target.kind === "Widget" && live !== undefined && maybe(0.15) ? "/status" : "";
  const url = `${collection}/${target.name}${status}`;
  // kubectl continues from its last client-side apply, if the object has one.
  const manager = pick(["m1", "m2", "kubectl"]);
  const annotate = (object: object): object => {
    const applied = { "kubectl.kubernetes.io/last-applied-configuration": `${JSON.stringify(whole)}\n` };
    return { ...object, metadata: { ...metadata, annotations: applied } };
  };
  const roll = random();
  if (roll < 0.5 || live === undefined) {
    return {
      method: "PATCH",
      path: `${url}?fieldManager=${manager}${maybe(0.5) ? "&force=true" : ""}`,
      type: "application/apply-patch+yaml",
      body: whole,
    };
  }
  if (roll < 0.62) {
    const copy = structuredClone(live) as Record<string, unknown> & { metadata: Record<string, unknown> };
    delete copy.metadata["resourceVersion"];
    if (target.kind === "Widget" || target.kind === "Service")
      copy.metadata["resourceVersion"] = (live["metadata"] as Record<string, unknown>)["resourceVersion"];
    if (maybe(0.1)) copy.metadata["managedFields"] = [];
    const { spec, data } = whole as { spec?: Record<string, unknown>; data?: unknown };
    if (data !== undefined) copy["data"] = data;
    if (spec !== undefined && target.kind !== "Service") copy["spec"] = { ...(copy["spec"] as object), ...spec };
    return { method: "PUT", path: `${url}?fieldManager=u${manager}`, type: "application/json", body: copy };
  }
  const { apiVersion: _version, kind: _kind, ...changes } = whole;
  if (roll < 0.75)
    return {
      method: "PATCH",
      path: `${url}?fieldManager=u${manager}`,
      type: "application/merge-patch+json",
      body: maybe(0.2) ? { ...changes, metadata: { labels: null } } : maybe(0.3) ? annotate(changes) : changes,
    };
  if (roll < 0.88 && target.kind !== "Widget")
    return {
      method: "PATCH",
      path: `${url}?fieldManager=u${manager}`,
      type: "application/strategic-merge-patch+json",
      body: changes,
    };
  const operations = some(
    [
      { op: "add", path: "/metadata/labels", value: texts() },
      { op: "remove", path: "/metadata/labels/a" },
      { op: "test", path: "/metadata/name", value: target.name },
      { op: "replace", path: "/metadata/annotations", value: texts() },
      { op: "copy", from: "/metadata/labels", path: "/metadata/annotations" },
      { op: "add", path: "/metadata/finalizers/-", value: "cf.dev/x" },
    ],
    0.3,
  );
  return {
    method: "PATCH",
    path: `${url}?fieldManager=j${manager}`,
    type: "application/json-patch+json",
    body: operations,
  };
}
