// Objects that the benches of the server and the check of speed have in common.

/** Pod with an environment, labels and annotations, as clients create it: 1.2 kB of JSON. */
export function makePod(name, labels = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: { app: "web", tier: name.endsWith("7") ? "seven" : "other", ...labels },
      annotations: { note: "x".repeat(200) },
    },
    spec: {
      containers: [
        {
          name: "main",
          image: "registry.example/web:1.2.3",
          env: Array.from({ length: 10 }, (_, i) => ({ name: `VAR_${i}`, value: `value-${i}` })),
          ports: [{ containerPort: 8080 }],
          resources: { requests: { cpu: "100m", memory: "128Mi" } },
        },
      ],
      nodeSelector: { disk: "ssd" },
      tolerations: [{ key: "a", operator: "Exists" }],
    },
  };
}

/** The same pod as a server returns it. */
export function makeStoredPod(i) {
  const pod = makePod(`web-${i}`);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      namespace: "bench",
      uid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
      resourceVersion: String(1000 + i),
      creationTimestamp: "2026-01-01T00:00:00Z",
      managedFields: [
        {
          manager: "kubelet",
          operation: "Update",
          apiVersion: "v1",
          time: "2026-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:status": Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f:field${n}`, {}])) },
          subresource: "status",
        },
      ],
    },
    spec: { ...pod.spec, nodeName: `node-${i % 50}` },
    status: {
      phase: "Running",
      podIP: `10.0.${Math.floor(i / 250) % 250}.${i % 250}`,
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      })),
    },
  };
}
