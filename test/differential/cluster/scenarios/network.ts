import { Endpoints, Pod } from "../../../../src/kinds/core/v1.js";
import { act, create, patch, patchNode, remove, removeFirst, type Scenario } from "../scenario.js";

const port = (name: string, number: number): object => ({ name, port: number, protocol: "TCP" });
const addresses = (first: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({
    ip: `10.9.${String((first + index) >> 8)}.${String((first + index) & 255)}`,
  }));
const service = { spec: { ports: [{ name: "http", port: 80 }] } };
const replace = (title: string, subsets: readonly object[]): Scenario["steps"][number] =>
  act(title, ({ client, namespace }) =>
    client
      .resource(Endpoints)
      .namespace(namespace)
      .patch("web", { type: "merge", patch: { subsets } as object }),
  );

/** Endpoints that users write for Services without a selector, and the EndpointSlices that mirror them. */
export const mirroring: readonly Scenario[] = [
  {
    name: "mirror",
    steps: [
      create("Endpoints", "web", { subsets: [{ addresses: addresses(1, 2), ports: [port("http", 8080)] }] }),
      create("Service", "web", service),
      replace("change an address and add one that isn't ready", [
        { addresses: addresses(2, 2), notReadyAddresses: addresses(9, 1), ports: [port("http", 8080)] },
      ]),
      replace("serve other ports at other addresses", [
        { addresses: addresses(2, 1), ports: [port("http", 8080)] },
        { addresses: addresses(3, 1), ports: [port("http", 8081)] },
      ]),
      replace("serve two ports at one address, in two subsets", [
        { addresses: addresses(2, 1), ports: [port("admin", 8081)] },
        { addresses: addresses(2, 1), ports: [port("http", 8080)] },
      ]),
      replace("serve addresses of both families", [
        { addresses: [...addresses(2, 1), { ip: "2001:db8::1" }], ports: [port("http", 8080)] },
      ]),
      replace("serve nothing", []),
      replace("serve again", [{ addresses: addresses(1, 1), ports: [port("http", 8080)] }]),
      remove("Endpoints", "web"),
    ],
  },
  {
    name: "mirror-metadata",
    steps: [
      create("Service", "web", service),
      create("Endpoints", "web", {
        metadata: {
          name: "web",
          labels: { team: "blue" },
          annotations: {
            note: "kept",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z",
          },
        },
        subsets: [
          {
            addresses: [
              { ip: "10.9.0.1", hostname: "a", nodeName: "node-1", targetRef: { kind: "Pod", name: "a", uid: "1" } },
            ],
            ports: [{ ...port("http", 8080), appProtocol: "http" }],
          },
        ],
      }),
      patch("Endpoints", "web", { metadata: { labels: { team: "green" }, annotations: { note: null } } }),
      patch("Endpoints", "web", { metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } } }),
      patch("Endpoints", "web", { metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "false" } } }),
      patch("Endpoints", "web", {
        metadata: { annotations: { "control-plane.alpha.kubernetes.io/leader": '{"holderIdentity":"a"}' } },
      }),
    ],
  },
  {
    name: "mirror-many",
    steps: [
      create("Service", "web", service),
      create("Endpoints", "web", { subsets: [{ addresses: addresses(0, 1_100), ports: [port("http", 8080)] }] }),
    ],
  },
  {
    name: "mirror-selector",
    steps: [
      create("Service", "web", service),
      create("Endpoints", "web", { subsets: [{ addresses: addresses(1, 1), ports: [port("http", 8080)] }] }),
      patch("Service", "web", { spec: { selector: { app: "web" } } }),
      patch("Service", "web", { spec: { selector: null } }),
      remove("Service", "web"),
    ],
  },
];

/** Creates pods in zones of the common nodes. Their names are generated, because any of them may serve other zones. */
const podsIn = (...zones: readonly string[]): Scenario["steps"][number] =>
  act(`create pods in ${zones.join(", ")}`, async ({ client, namespace }) => {
    const containers = [{ name: "main", image: "web:1" }];
    for (const zone of zones)
      await client
        .resource(Pod)
        .namespace(namespace)
        .create({
          metadata: { generateName: "web-", labels: { app: "web", zone } },
          spec: { nodeSelector: { "topology.kubernetes.io/zone": zone }, containers },
        });
  });
const mode = (value: string | null): { readonly metadata: object } => ({
  metadata: { annotations: { "service.kubernetes.io/topology-mode": value } },
});
const ownZone = (value: string | null): Scenario["steps"][number] =>
  patchNode("topology-mode-1", { metadata: { labels: { "topology.kubernetes.io/zone": value } } });

/**
 * Hints by the CPU time of zones. Play it alone (`--only topology-mode`): with the zones of other scenarios, there are too
 * few endpoints for any hint.
 */
export const topologyHints: readonly Scenario[] = [
  {
    name: "topology-mode",
    nodes: 1,
    steps: [
      podsIn("zone-0", "zone-0", "zone-0", "zone-0", "zone-0", "zone-1", "zone-2"),
      create("Service", "web", {
        metadata: { name: "web", ...mode("Auto").metadata },
        spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
      }),
      removeFirst("zone=zone-0"),
      podsIn("zone-1"),
      patch("Service", "web", mode(null)),
      patch("Service", "web", mode("auto")),
      ownZone(null),
      ownZone("topology-mode"),
      patch("Service", "web", { metadata: { labels: { team: "blue" } } }),
      patch("Service", "web", mode("Disabled")),
    ],
  },
  {
    // Slices leave out the pods of a node that doesn't exist.
    name: "endpoints-missing-node",
    steps: [
      create("Service", "web", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      ...["a", "b"].flatMap((name, index) => [
        create("Pod", name, {
          metadata: { name, labels: { app: "web" } },
          spec: { nodeName: "missing", containers: [{ name: "main", image: "web:1" }] },
        }),
        act(`give ${name} an address`, ({ client, namespace }) => {
          const podIP = `10.9.0.${String(index + 1)}`;
          const status = { phase: "Running" as const, podIP, podIPs: [{ ip: podIP }] };
          const pods = client.resource(Pod).namespace(namespace);
          return pods.subresource("status").patch(name, { type: "merge", patch: { status } });
        }),
      ]),
      patch("Service", "web", { spec: { publishNotReadyAddresses: true } }),
    ],
  },
];
