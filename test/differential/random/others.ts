import type { Draw } from "./draw.js";
import type { Json, RandomKind } from "./kinds.js";
import { mutated } from "./mutate.js";
import type { RandomRequest, SequenceState } from "./sequence.js";
import { collectionOf, liveOf, namesOf, someName, someVersion } from "./sequence.js";
import { randomHeaders, writeQuery } from "./writes.js";

function asked(draw: Draw, request: RandomRequest): RandomRequest {
  const { headers, token } = randomHeaders(draw);
  return { ...request, headers: { ...headers, ...request.headers }, ...(token === undefined ? {} : { token }) };
}

const join = (parts: readonly string[]): string => (parts.length === 0 ? "" : `?${parts.join("&")}`);

export function get(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  const name = someName(draw, state, kind);
  const part =
    kind.subresources.length > 0 && draw.chance(0.25)
      ? `/${draw.pick(kind.subresources)}`
      : draw.chance(0.03)
        ? "/bogus"
        : "";
  const query = [
    // A read from a cache may be stale, so only ask for versions that it must have reached.
    ...(draw.chance(0.3)
      ? [
          `resourceVersion=${draw.weighted([
            [5, () => someVersion(draw, state, liveOf(state, kind, name)).replace(/^0$/, "")],
            [1, () => "abc"],
          ])}`,
        ]
      : []),
    ...(draw.chance(0.05) ? ["resourceVersionMatch=Exact"] : []),
    ...(draw.chance(0.05)
      ? [draw.pick(["pretty=true", "export=true", "includeObject=None", "includeObject=Object", "includeObject=x"])]
      : []),
  ];
  return asked(draw, {
    method: "GET",
    path: `${collectionOf(state, kind)}/${name}${part}${join(query)}`,
    kind,
    touches: [],
  });
}

const labelSelectors = [
  "a=1",
  "a!=1",
  "a",
  "!a",
  "a in (1,2)",
  "a notin (2)",
  "a=1,b",
  "app==a",
  "",
  "a in ()",
  "=x",
  "a>0",
  "a=1=2",
  "a in (1",
  "x y",
];

function selectors(draw: Draw, state: SequenceState, kind: RandomKind): string[] {
  const parts: string[] = [];
  if (draw.chance(0.3)) parts.push(`labelSelector=${encodeURIComponent(draw.pick(labelSelectors))}`);
  const fields = [
    `metadata.name=${draw.pick(namesOf(state, kind))}`,
    "metadata.name!=a",
    `metadata.namespace=${state.ns}`,
    "metadata.uid=x",
    "spec.text=a",
    "spec.nodeName=n1",
    "status.phase=Pending",
    "status.phase!=Pending",
    "type=Opaque",
    "spec.nodeName!=",
    "metadata.name=a,metadata.name=b",
    "status.successful=1",
    "bogus",
    "spec.clusterIP=None",
  ];
  if (!kind.namespaced) parts.push(`fieldSelector=${encodeURIComponent(`metadata.name=${namesOf(state, kind)[0]!}`)}`);
  else if (draw.chance(0.25)) parts.push(`fieldSelector=${encodeURIComponent(draw.pick(fields))}`);
  return parts;
}

export function list(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  const going = state.continuations.filter((each) => each.kind === kind);
  if (going.length > 0 && draw.chance(0.6)) {
    const { token, query } = draw.pick(going);
    const more = draw.chance(0.1)
      ? `&${draw.pick([`resourceVersion=${state.versions[0]!}`, "resourceVersion=0", "resourceVersionMatch=Exact", "labelSelector=a"])}`
      : "";
    const limited = draw.chance(0.15)
      ? query.replace(/limit=\d+/, "limit=5")
      : draw.chance(0.05)
        ? query.replace(/limit=\d+&?/, "")
        : query;
    return asked(draw, {
      method: "GET",
      path: `${collectionOf(state, kind)}?${limited}${limited === "" ? "" : "&"}continue=${encodeURIComponent(token)}${more}`,
      kind,
      touches: [],
    });
  }
  const parts = selectors(draw, state, kind);
  if (draw.chance(0.45))
    parts.push(
      `limit=${draw.weighted([
        [6, () => draw.pick(["1", "2"])],
        [1, () => draw.pick(["0", "-1", "x", "500", ""])],
      ])}`,
    );
  if (draw.chance(0.4)) {
    const version = draw.weighted([
      [6, () => draw.pick(state.versions)],
      [1, () => draw.pick(["abc", "", "-1"])],
    ]);
    parts.push(`resourceVersion=${version}`);
    // Without a match, or with an exact one, so that the answer doesn't depend on a stale cache.
    parts.push(
      ...draw.weighted<string[]>([
        [5, () => ["resourceVersionMatch=Exact"]],
        [2, () => ["resourceVersionMatch=NotOlderThan"]],
        [2, () => []],
        [0.5, () => [draw.pick(["resourceVersionMatch=x", "resourceVersionMatch="])]],
      ]),
    );
  } else if (draw.chance(0.05)) parts.push("resourceVersionMatch=Exact");
  if (draw.chance(0.03))
    parts.push(
      draw.pick([
        "pretty=true",
        "timeoutSeconds=5",
        "sendInitialEvents=true",
        "allowWatchBookmarks=true",
        "includeObject=None",
        "continue=bogus",
        "timeoutSeconds=x",
      ]),
    );
  return asked(draw, { method: "GET", path: `${collectionOf(state, kind)}${join(parts)}`, kind, touches: [] });
}

/** Creates the options of a deletion, in the body or in the query. */
function deleteOptions(draw: Draw, state: SequenceState, live: Json | undefined): { query: string[]; body?: Json } {
  const metadata = live?.["metadata"] as Json | undefined;
  const options: Json = {
    ...draw.put(0.3, () => ({
      propagationPolicy: draw.weighted([
        [9, () => draw.pick(["Orphan", "Background", "Foreground"])],
        [1, () => "x"],
      ]),
    })),
    ...draw.put(0.25, () => ({ gracePeriodSeconds: draw.pick([0, 0, 1, 30, -1]) })),
    ...draw.put(0.05, () => ({ orphanDependents: draw.pick([true, false]) })),
    ...draw.put(0.1, () => ({ dryRun: ["All"] })),
    ...draw.put(0.2, () => ({
      preconditions: {
        ...draw.put(0.6, () => ({ uid: draw.chance(0.6) ? (metadata?.["uid"] ?? "x") : "other" })),
        ...draw.put(0.6, () => ({ resourceVersion: someVersion(draw, state, live) })),
      },
    })),
    ...draw.put(0.03, () => ({ ignoreStoreReadErrorWithClusterBreakingPotential: draw.pick([true, false]) })),
  };
  if (draw.chance(0.5) && options["preconditions"] === undefined)
    return {
      query: Object.entries(options).map(([key, value]) => `${key}=${Array.isArray(value) ? "All" : String(value)}`),
    };
  if (Object.keys(options).length === 0 && draw.chance(0.7)) return { query: [] };
  return {
    query: draw.chance(0.05) ? ["dryRun=All"] : [],
    body: {
      ...draw.put(0.8, () => ({
        apiVersion: draw.pick(["v1", "v1", "meta.k8s.io/v1", "apps/v1"]),
        kind: draw.chance(0.97) ? "DeleteOptions" : "ConfigMap",
      })),
      ...options,
      ...draw.put(0.03, () => ({ bogus: 1 })),
    },
  };
}

export function remove(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  const name = someName(draw, state, kind);
  const { query, body } = deleteOptions(draw, state, liveOf(state, kind, name));
  return asked(draw, {
    method: "DELETE",
    path: `${collectionOf(state, kind)}/${name}${join(query)}`,
    ...(body === undefined ? {} : { json: body }),
    kind,
    touches: [name],
  });
}

export function removeAll(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  const { query, body } = deleteOptions(draw, state, undefined);
  const parts = [
    ...query,
    ...selectors(draw, state, kind),
    ...draw.some(["limit=1"], 0.2),
    ...draw.some([`resourceVersion=${state.versions.at(-1)!}`], 0.06),
  ];
  return asked(draw, {
    method: "DELETE",
    path: `${collectionOf(state, kind)}${join(parts)}`,
    ...(body === undefined ? {} : { json: body }),
    kind,
    touches: namesOf(state, kind),
  });
}

const bodies: Readonly<
  Record<
    string,
    (
      draw: Draw,
      state: SequenceState,
      kind: RandomKind,
      name: string,
    ) => readonly [method: RandomRequest["method"], body: unknown]
  >
> = {
  scale: (draw, state, kind, name) => [
    "PUT",
    {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: {
        name,
        namespace: state.ns,
        ...draw.put(0.3, () => ({ resourceVersion: someVersion(draw, state, liveOf(state, kind, name)) })),
        ...draw.put(0.1, () => ({
          uid: draw.pick(["x", (liveOf(state, kind, name)?.["metadata"] as Json | undefined)?.["uid"]]),
        })),
      },
      spec: draw.pick<unknown>([
        { replicas: 1 },
        { replicas: 3 },
        {},
        { replicas: -1 },
        { replicas: 9 },
        { replicas: "x" },
      ]),
    },
  ],
  eviction: (draw, state, kind, name) => [
    "POST",
    {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name },
      ...draw.put(0.4, () => ({ deleteOptions: deleteOptions(draw, state, liveOf(state, kind, name)).body ?? {} })),
    },
  ],
  binding: (draw, _state, _kind, name) => [
    "POST",
    {
      apiVersion: "v1",
      kind: "Binding",
      metadata: {
        name,
        ...draw.put(0.2, () => ({ annotations: { x: "y" } })),
        ...draw.put(0.1, () => ({ labels: { l: "m" } })),
        ...draw.put(0.1, () => ({ uid: "x" })),
      },
      target: draw.pick<unknown>([
        { kind: "Node", name: "n1" },
        { kind: "Node", name: "n2" },
        { name: "n1" },
        { kind: "Pod", name: "n" },
        {},
      ]),
    },
  ],
  ephemeralcontainers: (draw, state, kind, name) => [
    "PUT",
    {
      ...(liveOf(state, kind, name) ?? { metadata: { name } }),
      spec: {
        ...(liveOf(state, kind, name)?.["spec"] as Json | undefined),
        ephemeralContainers: draw.some(
          [
            { name: "e1", image: "i" },
            { name: "e2", image: "i", targetContainerName: "c1" },
            { name: "c1", image: "i" },
            { name: "e3" },
          ],
          0.4,
        ),
      },
    },
  ],
  resize: (draw, state, kind, name) => [
    "PUT",
    mutated(draw, {
      ...(liveOf(state, kind, name) ?? { metadata: { name } }),
      spec: resized(draw, liveOf(state, kind, name)?.["spec"] as Json | undefined),
    }),
  ],
  token: (draw, _state, _kind, name) => [
    "POST",
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      metadata: draw.pick<unknown>([{}, { name }]),
      spec: {
        ...draw.put(0.5, () => ({ audiences: draw.some(["x", "y"]) })),
        ...draw.put(0.5, () => ({ expirationSeconds: draw.pick([600, 3600, 1]) })),
        ...draw.put(0.15, () => ({
          boundObjectRef: { kind: draw.pick(["Pod", "Secret", "x"]), apiVersion: "v1", name: "a" },
        })),
      },
    },
  ],
  finalize: (draw, state, kind, name) => [
    "PUT",
    {
      ...(liveOf(state, kind, name) ?? { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
      spec: { finalizers: draw.pick<unknown>([[], ["kubernetes"], ["example.com/x"], ["x"]]) },
    },
  ],
  status: (draw, state, kind, name) => [
    "PUT",
    {
      ...(liveOf(state, kind, name) ?? { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } }),
      status: kind.status?.(draw) ?? {},
    },
  ],
};

function resized(draw: Draw, spec: Json | undefined): Json {
  const containers = ((spec?.["containers"] ?? [{ name: "c1" }]) as Json[]).map((container) =>
    draw.chance(0.7)
      ? {
          ...container,
          resources: {
            limits: { cpu: draw.pick(["1", "2", "3"]) },
            ...draw.put(0.5, () => ({ requests: { cpu: "500m" } })),
          },
        }
      : container,
  );
  return { ...spec, containers };
}

export function subresource(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  const name = someName(draw, state, kind);
  const part = draw.pick(kind.subresources);
  const [method, json] = bodies[part]!(draw, state, kind, name);
  const meta = (json as Json)["metadata"] as Json | undefined;
  if (method === "PUT" && meta !== undefined && draw.chance(0.4))
    (json as Json)["metadata"] = Object.fromEntries(Object.entries(meta).filter(([key]) => key !== "resourceVersion"));
  return asked(draw, {
    method,
    path: `${collectionOf(state, kind)}/${name}/${part}${writeQuery(draw)}`,
    json,
    kind,
    touches: [name],
  });
}

export function forget(draw: Draw, state: SequenceState, kind: RandomKind): RandomRequest {
  return { ...list(draw, state, kind), compact: state.versions.at(-1)! };
}
