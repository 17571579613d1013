/**
 * Creates the responses of a list server beforehand, so that serving them costs the least. `variables` and `managed` are
 * the numbers of environment variables and managed fields of each pod.
 */
export function podLists({ objects, pageSize, variables, managed }) {
  const list = (from, count, token) =>
    Buffer.from(
      JSON.stringify({
        kind: "PodList",
        apiVersion: "v1",
        metadata: { resourceVersion: "9", ...(token && { continue: token }) },
        items: Array.from({ length: count }, (_, i) => podItem(from + i, { variables, managed })),
      }),
    );
  return {
    one: list(0, 1),
    full: list(0, objects),
    pages: Array.from({ length: objects / pageSize }, (_, i) =>
      list(i * pageSize, pageSize, i + 1 < objects / pageSize ? String(i + 1) : ""),
    ),
  };
}

function podItem(i, { variables, managed }) {
  return {
    metadata: {
      name: `web-${i}`,
      namespace: "x",
      uid: `00000000-0000-0000-0000-${String(i).padStart(12, "0")}`,
      resourceVersion: String(1000 + i),
      labels: { app: "web", tier: String(i % 7) },
      annotations: { note: "x".repeat(200) },
      managedFields: [
        {
          manager: "kubelet",
          operation: "Update",
          apiVersion: "v1",
          time: "2026-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:spec": Object.fromEntries(Array.from({ length: managed }, (_, n) => [`f:field${n}`, {}])) },
        },
      ],
    },
    spec: {
      nodeName: `node-${i % 50}`,
      containers: [
        {
          name: "c",
          image: "registry.example/app:1.2.3",
          env: Array.from({ length: variables }, (_, n) => ({ name: `VARIABLE_${n}`, value: "v".repeat(30) })),
          resources: { requests: { cpu: "100m", memory: "128Mi" } },
        },
      ],
    },
    status: {
      phase: "Running",
      podIP: "10.0.0.1",
      conditions: ["Ready", "Initialized", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      })),
    },
  };
}
