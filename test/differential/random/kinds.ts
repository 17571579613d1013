import { kindFixtures } from "../topics/kinds.js";
import type { Draw } from "./draw.js";

export type Json = Record<string, unknown>;

/** Kind that sequences write. */
export interface RandomKind {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Path of the collection, with `${ns}` for the namespace. */
  readonly collection: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Subresources that sequences use. */
  readonly subresources: readonly string[];
  /** True if it supports neither strategic patches nor Protobuf. */
  readonly custom: boolean;
  /** Creates an object's fields other than the metadata. */
  body(draw: Draw): Json;
  /** Creates a status, if the kind has one. */
  status?(draw: Draw): Json;
}

const group = "random.cf.dev";

const specSchema = {
  type: "object",
  properties: {
    replicas: { type: "integer", minimum: 0, maximum: 5 },
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
        properties: { name: { type: "string" }, port: { type: "integer", default: 80 }, v: { type: "integer" } },
      },
    },
    when: { type: "string", format: "date-time" },
    choice: { type: "string", enum: ["x", "y"], default: "x" },
    once: { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "once only" }] },
    embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
  "x-kubernetes-validations": [
    { rule: "!has(self.ratio) || self.ratio < 2.0", message: "ratio too high" },
    { rule: "!has(self.set) || self.set.all(x, x.size() < 3)", messageExpression: "'long: ' + self.set.join(',')" },
  ],
};
const statusSchema = {
  type: "object",
  properties: {
    phase: { type: "string" },
    replicas: { type: "integer" },
    selector: { type: "string" },
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: {
        type: "object",
        required: ["type"],
        properties: { type: { type: "string" }, status: { type: "string" } },
      },
    },
  },
};

function definition(plural: string, kind: string, version: Json): Json {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: specSchema, status: statusSchema } } },
          ...version,
        },
      ],
    },
  };
}

/** Definitions of the custom kinds: one with subresources, one without. */
export const definitions: readonly Json[] = [
  definition("gadgets", "Gadget", {
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    },
    additionalPrinterColumns: [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    selectableFields: [{ jsonPath: ".spec.text" }],
  }),
  definition("trinkets", "Trinket", {}),
];

const texts = (draw: Draw): Json =>
  Object.fromEntries(draw.some(["a", "b", "c"]).map((key) => [key, draw.pick(["1", "2"])]));

function container(draw: Draw, name: string): Json {
  const first = 80 + 2 * ["c1", "c2", "c3"].indexOf(name);
  return {
    name,
    image: draw.pick(["i", "j", "r.example/x:1", "r.example/x:latest"]),
    ...draw.put(0.3, () => ({
      env: draw.some(["A", "B", "C"]).map((key) => ({ name: key, value: draw.pick(["1", "2"]) })),
    })),
    ...draw.put(0.3, () => ({
      ports: draw.some([first, first + 1]).map((containerPort) => ({
        containerPort,
        ...draw.put(0.3, () => ({ name: `p${String(containerPort)}` })),
        ...draw.put(0.3, () => ({ protocol: draw.pick(["TCP", "UDP"]) })),
      })),
    })),
    ...draw.put(0.3, () => ({
      resources: {
        limits: {
          cpu: draw.pick(["1", "1000m", "2"]),
          ...draw.put(0.3, () => ({ memory: draw.pick(["1Gi", "1024Mi"]) })),
        },
        ...draw.put(0.3, () => ({ requests: { cpu: draw.pick(["500m", "0.5"]) } })),
      },
    })),
    ...draw.put(0.2, () => ({ args: draw.some(["x", "y"]) })),
    ...draw.put(0.15, () => ({ livenessProbe: { httpGet: { path: "/", port: draw.pick<unknown>([80, "p80"]) } } })),
    ...draw.put(0.1, () => ({ securityContext: { runAsUser: 1, ...draw.put(0.5, () => ({ privileged: true })) } })),
  };
}

const podSpec = (draw: Draw): Json => ({
  containers: [container(draw, "c1"), ...draw.some(["c2", "c3"], 0.3).map((name) => container(draw, name))],
  ...draw.put(0.2, () => ({
    volumes: draw
      .some(["v", "w"])
      .map((name) => ({ name, ...draw.pick<object>([{ emptyDir: {} }, { configMap: { name: "x" } }]) })),
  })),
  ...draw.put(0.2, () => ({ tolerations: [{ key: "k", operator: "Exists" }] })),
  ...draw.put(0.1, () => ({ nodeSelector: texts(draw) })),
  ...draw.put(0.1, () => ({ initContainers: [{ name: "init", image: "i" }] })),
  ...draw.put(0.15, () => ({ terminationGracePeriodSeconds: draw.pick([0, 5]) })),
  ...draw.put(0.1, () => ({ securityContext: { runAsNonRoot: true } })),
  ...draw.put(0.1, () => ({ hostNetwork: true })),
});
const template = (draw: Draw, more: Json = {}): Json => ({
  metadata: { labels: { app: "a" } },
  spec: { ...podSpec(draw), ...more },
});

const bodies: Readonly<Record<string, (draw: Draw) => Json>> = {
  configmaps: (draw) => ({
    ...draw.put(0.8, () => ({ data: texts(draw) })),
    ...draw.put(0.15, () => ({ binaryData: { z: "aGk=" } })),
    ...draw.put(0.06, () => ({ immutable: draw.pick([true, false]) })),
  }),
  secrets: (draw) => ({
    ...draw.put(0.6, () => ({
      data: Object.fromEntries(draw.some(["a", "b"]).map((key) => [key, draw.pick(["aGk=", "eW8="])])),
    })),
    ...draw.put(0.4, () => ({ stringData: texts(draw) })),
    ...draw.put(0.2, () => ({ type: draw.pick(["Opaque", "example.com/t", "kubernetes.io/basic-auth"]) })),
    ...draw.put(0.06, () => ({ immutable: true })),
  }),
  pods: (draw) => ({
    spec: {
      ...podSpec(draw),
      ...draw.put(0.3, () => ({ nodeName: "n1" })),
      ...draw.put(0.3, () => ({ restartPolicy: draw.pick(["Always", "Never", "OnFailure"]) })),
    },
  }),
  deployments: (draw) => ({
    spec: {
      ...draw.put(0.5, () => ({ replicas: draw.pick([0, 1, 2]) })),
      selector: { matchLabels: { app: "a" } },
      template: template(draw),
      ...draw.put(0.2, () => ({ strategy: { type: draw.pick(["Recreate", "RollingUpdate"]) } })),
      ...draw.put(0.1, () => ({ paused: true })),
    },
  }),
  services: (draw) => ({
    spec: {
      ...draw.put(0.6, () => ({ selector: texts(draw) })),
      ports: [...draw.some([80, 81, 82], 0.4), 83].map((port) => ({
        port,
        name: `n${String(port)}`,
        ...draw.put(0.3, () => ({ targetPort: draw.pick<string | number>([8080, "http"]) })),
        ...draw.put(0.2, () => ({ protocol: draw.pick(["TCP", "UDP"]) })),
      })),
      ...draw.put(0.4, () => ({ type: draw.pick(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]) })),
      ...draw.put(0.15, () => ({ clusterIP: "None" })),
      ...draw.put(0.1, () => ({ externalName: "e.example" })),
      ...draw.put(0.15, () => ({ sessionAffinity: draw.pick(["ClientIP", "None"]) })),
      ...draw.put(0.1, () => ({ externalTrafficPolicy: draw.pick(["Local", "Cluster"]) })),
    },
  }),
  jobs: (draw) => ({
    spec: {
      template: template(draw, { restartPolicy: draw.pick(["Never", "OnFailure"]) }),
      ...draw.put(0.3, () => ({ parallelism: draw.pick([0, 2]) })),
      ...draw.put(0.3, () => ({ completions: draw.pick([1, 3]) })),
      ...draw.put(0.2, () => ({ suspend: draw.pick([true, false]) })),
      ...draw.put(0.15, () => ({ completionMode: draw.pick(["Indexed", "NonIndexed"]) })),
      ...draw.put(0.1, () => ({ backoffLimit: 2, ttlSecondsAfterFinished: 5 })),
    },
  }),
  persistentvolumeclaims: (draw) => ({
    spec: {
      accessModes: draw.pick([["ReadWriteOnce"], ["ReadWriteMany", "ReadOnlyMany"], ["ReadWriteOncePod"]]),
      resources: { requests: { storage: draw.pick(["1Gi", "2Gi", "1024Mi"]) } },
      ...draw.put(0.3, () => ({ storageClassName: draw.pick(["", "fast"]) })),
      ...draw.put(0.2, () => ({ volumeName: "v" })),
    },
  }),
  poddisruptionbudgets: (draw) => ({
    spec: {
      ...draw.pick<object>([
        { minAvailable: draw.pick<unknown>([0, 1, "50%"]) },
        { maxUnavailable: draw.pick<unknown>([0, 1, "50%"]) },
        {},
      ]),
      ...draw.put(0.8, () => ({ selector: { matchLabels: draw.pick<Json>([{ a: "1" }, {}, { app: "a" }]) } })),
    },
  }),
  leases: (draw) => ({
    ...draw.put(0.8, () => ({
      spec: {
        ...draw.put(0.6, () => ({ holderIdentity: draw.pick(["x", "y"]) })),
        ...draw.put(0.4, () => ({ leaseDurationSeconds: draw.pick([1, 10]) })),
        ...draw.put(0.4, () => ({
          renewTime: draw.pick([
            "2001-01-01T00:00:00.000000Z",
            "2001-01-01T00:00:00Z",
            "2001-01-01T00:00:00.123456+01:00",
          ]),
        })),
      },
    })),
  }),
  roles: (draw) => ({
    rules: draw.some(["pods", "services", "deployments"]).map((resource) => ({
      apiGroups: draw.pick([[""], ["apps"], ["*"]]),
      resources: [resource],
      verbs: draw.some(["get", "list", "*"], 0.6),
    })),
  }),
  clusterroles: (draw) => ({
    rules: draw.some(["pods", "services", "deployments"]).map((resource) => ({
      apiGroups: draw.pick([[""], ["apps"], ["*"]]),
      resources: [resource],
      verbs: draw.some(["get", "list", "*"], 0.6),
    })),
    ...draw.put(0.1, () => ({ aggregationRule: { clusterRoleSelectors: [{ matchLabels: { none: "such" } }] } })),
  }),
  rolebindings: (draw) => ({
    roleRef: {
      kind: draw.pick(["Role", "ClusterRole"]),
      name: draw.pick(["a", "b"]),
      ...draw.put(0.5, () => ({ apiGroup: "rbac.authorization.k8s.io" })),
    },
    ...draw.put(0.7, () => ({
      subjects: draw.some([
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
        { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
      ]),
    })),
  }),
  serviceaccounts: (draw) => ({
    ...draw.put(0.3, () => ({ secrets: draw.some(["s", "t"]).map((name) => ({ name })) })),
    ...draw.put(0.3, () => ({ imagePullSecrets: draw.some(["p", "q"]).map((name) => ({ name })) })),
    ...draw.put(0.2, () => ({ automountServiceAccountToken: draw.pick([true, false]) })),
  }),
};

const customBody = (draw: Draw): Json => ({
  ...draw.put(0.9, () => ({
    spec: {
      ...draw.put(0.4, () => ({ replicas: draw.pick([0, 1, 3]) })),
      ...draw.put(0.4, () => ({ text: draw.pick(["a", "bc", "abc"]) })),
      ...draw.put(0.3, () => ({ size: draw.pick<unknown>([1, 2, 2.0, null]) })),
      ...draw.put(0.3, () => ({ ratio: draw.pick([0.5, 1, 1.25]) })),
      ...draw.put(0.2, () => ({ maybe: draw.pick([null, "x"]) })),
      ...draw.put(0.2, () => ({ ios: draw.pick<unknown>([1, "50%"]) })),
      ...draw.put(0.4, () => ({ gran: texts(draw) })),
      ...draw.put(0.3, () => ({ atom: texts(draw) })),
      ...draw.put(0.3, () => ({ any: draw.pick<unknown>([{}, { x: { y: 1 } }, { x: [1], z: null }]) })),
      ...draw.put(0.4, () => ({ set: draw.some(["p", "q", "r"], 0.4) })),
      ...draw.put(0.2, () => ({ list: draw.some(["p", "q", "p"]) })),
      ...draw.put(0.5, () => ({
        map: draw.some(["m", "n", "o"]).map((name) => ({
          name,
          ...draw.put(0.3, () => ({ port: draw.pick([80, 81]) })),
          ...draw.put(0.5, () => ({ v: draw.pick([1, 2]) })),
        })),
      })),
      ...draw.put(0.2, () => ({ when: "2001-01-01T00:00:00Z" })),
      ...draw.put(0.2, () => ({ choice: draw.pick(["x", "y"]) })),
      ...draw.put(0.1, () => ({ once: draw.pick(["1", "2"]) })),
      ...draw.put(0.1, () => ({
        embedded: {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "e", ...draw.put(0.3, () => ({ labels: texts(draw) })) },
          x: 1,
        },
      })),
    },
  })),
  ...draw.put(0.2, () => ({ status: customStatus(draw) })),
});
const customStatus = (draw: Draw): Json => ({
  ...draw.put(0.7, () => ({ phase: draw.pick(["A", "B"]) })),
  ...draw.put(0.4, () => ({ replicas: draw.pick([0, 2]) })),
  ...draw.put(0.3, () => ({ selector: draw.pick(["a=b", "a in (b,c)", "!!"]) })),
  ...draw.put(0.3, () => ({
    conditions: draw.some(["R", "S"]).map((type) => ({ type, status: draw.pick(["True", "False"]) })),
  })),
});

const condition = (draw: Draw, type: string): Json => ({
  type,
  status: draw.pick(["True", "False", "Unknown"]),
  ...draw.put(0.4, () => ({ reason: "R", message: "m" })),
  ...draw.put(0.3, () => ({ lastTransitionTime: "2001-01-01T00:00:00Z" })),
});
const statuses: Readonly<Record<string, (draw: Draw) => Json>> = {
  pods: (draw) => ({
    ...draw.put(0.7, () => ({ phase: draw.pick(["Pending", "Running", "Succeeded", "Failed"]) })),
    ...draw.put(0.4, () => ({ conditions: draw.some(["Ready", "PodScheduled"]).map((type) => condition(draw, type)) })),
    ...draw.put(0.2, () => ({ podIP: "1.2.3.4", podIPs: [{ ip: "1.2.3.4" }] })),
    ...draw.put(0.1, () => ({ message: "m", reason: "r" })),
  }),
  deployments: (draw) => ({
    ...draw.put(0.7, () => ({ replicas: draw.pick([1, 2]), readyReplicas: draw.pick([0, 1, 3]) })),
    ...draw.put(0.4, () => ({ observedGeneration: draw.pick([1, 2]) })),
    ...draw.put(0.4, () => ({
      conditions: draw.some(["Available", "Progressing"]).map((type) => condition(draw, type)),
    })),
  }),
  services: (draw) => ({
    ...draw.put(0.7, () => ({ loadBalancer: { ingress: draw.some([{ ip: "1.2.3.4" }, { hostname: "h.example" }]) } })),
    ...draw.put(0.4, () => ({
      conditions: [{ ...condition(draw, "T"), reason: "R", message: "", lastTransitionTime: "2001-01-01T00:00:00Z" }],
    })),
  }),
  jobs: (draw) => ({
    ...draw.put(0.5, () => ({ active: draw.pick([0, 1]) })),
    ...draw.put(0.3, () => ({ startTime: "2001-01-01T00:00:00Z" })),
    ...draw.put(0.3, () => ({
      conditions: draw.some(["Complete", "Failed", "Suspended"], 0.3).map((type) => condition(draw, type)),
    })),
    ...draw.put(0.2, () => ({ succeeded: draw.pick([1, 3]) })),
  }),
  persistentvolumeclaims: (draw) => ({
    phase: draw.pick(["Pending", "Bound", "Lost"]),
    ...draw.put(0.4, () => ({ capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] })),
  }),
  poddisruptionbudgets: (draw) => ({
    disruptionsAllowed: draw.pick([0, 1]),
    currentHealthy: 1,
    desiredHealthy: draw.pick([0, 1]),
    expectedPods: 1,
    observedGeneration: draw.pick([1, 2]),
    ...draw.put(0.3, () => ({
      conditions: [
        {
          ...condition(draw, "DisruptionAllowed"),
          reason: "R",
          message: "",
          lastTransitionTime: "2001-01-01T00:00:00Z",
        },
      ],
    })),
  }),
};

const subresources: Readonly<Record<string, readonly string[]>> = {
  statefulsets: ["status", "scale"],
  replicasets: ["status", "scale"],
  replicationcontrollers: ["status", "scale"],
  daemonsets: ["status"],
  cronjobs: ["status"],
  ingresses: ["status"],
  horizontalpodautoscalers: ["status"],
  persistentvolumes: ["status"],
  nodes: ["status"],
  pods: ["status", "binding", "eviction", "ephemeralcontainers", "resize"],
  deployments: ["status", "scale"],
  services: ["status"],
  jobs: ["status"],
  persistentvolumeclaims: ["status"],
  poddisruptionbudgets: ["status"],
  serviceaccounts: ["token"],
};

function builtIn(resource: string, rare = 0.1): RandomKind {
  const fixture = kindFixtures.find(({ name }) => name === resource || name.endsWith(`-${resource}`))!;
  const usual = bodies[resource];
  const status = statuses[resource];
  return {
    name: resource,
    apiVersion: fixture.apiVersion,
    kind: fixture.kind,
    collection: fixture.collection,
    resource,
    namespaced: fixture.collection.includes("/namespaces/"),
    subresources: subresources[resource] ?? [],
    custom: false,
    body(draw) {
      // Occasionally use an object with most fields set.
      if (usual !== undefined && !draw.chance(rare)) return usual(draw);
      // A global default priority class would affect the pods of other sequences.
      const {
        metadata: _metadata,
        globalDefault: _default,
        ...body
      } = structuredClone(draw.chance(0.7) ? fixture.rich : fixture.minimal);
      return body;
    },
    ...(status === undefined ? {} : { status }),
  };
}

function custom(resource: string, kind: string, parts: readonly string[]): RandomKind {
  return {
    name: resource,
    apiVersion: `${group}/v1`,
    kind,
    collection: `/apis/${group}/v1/namespaces/\${ns}/${resource}`,
    resource,
    namespaced: true,
    subresources: parts,
    custom: true,
    body: customBody,
    status: customStatus,
  };
}

/** Kinds of the sequences. */
export const randomKinds: readonly RandomKind[] = [
  ...[
    "configmaps",
    "secrets",
    "pods",
    "deployments",
    "services",
    "jobs",
    "persistentvolumeclaims",
    "poddisruptionbudgets",
    "leases",
    "roles",
    "clusterroles",
    "rolebindings",
    "serviceaccounts",
  ].map((name) => builtIn(name)),
  // These kinds have small and large bodies.
  ...[
    "statefulsets",
    "daemonsets",
    "replicasets",
    "replicationcontrollers",
    "cronjobs",
    "ingresses",
    "networkpolicies",
    "endpoints",
    "endpointslices",
    "horizontalpodautoscalers",
    "podtemplates",
    "events",
    "persistentvolumes",
    "nodes",
    "storageclasses",
    "priorityclasses",
  ].map((name) => builtIn(name)),
  {
    ...builtIn("namespaces"),
    subresources: ["status", "finalize"],
    body: (draw: Draw): Json => ({
      ...draw.put(0.1, () => ({ spec: { finalizers: ["kubernetes", "example.com/x"] } })),
    }),
    status: (draw: Draw): Json => ({ phase: draw.pick(["Active", "Terminating"]) }),
  },
  custom("gadgets", "Gadget", ["status", "scale"]),
  custom("trinkets", "Trinket", []),
];
