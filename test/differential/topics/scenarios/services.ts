import type { Probe, Topic } from "../../probe.js";
import { get, one, post } from "../generic.js";
import { patchFor, services } from "../writes.js";

type Json = Record<string, unknown>;

const service = (name: string, spec: Json): Json => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

const policies = [undefined, "SingleStack", "PreferDualStack", "RequireDualStack"];
const families = [undefined, ["IPv4"], ["IPv6"], ["IPv4", "IPv6"], ["IPv6", "IPv4"]];
const addresses: readonly Json[] = [
  {},
  { clusterIP: "None" },
  { clusterIP: "None", selector: { a: "b" } },
  { clusterIPs: ["None"] },
  { clusterIPs: ["10.0.0.7"] },
  { clusterIP: "10.0.0.8" },
  { clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9", "fd00::9"] },
  { clusterIP: "fd00::1" },
  { clusterIP: "None", clusterIPs: ["None", "fd00::2"] },
  { type: "ExternalName", externalName: "a.b" },
  { clusterIP: "" },
  { clusterIPs: [] },
  { clusterIPs: [""] },
  { clusterIP: "10.0.0.10", clusterIPs: ["10.0.0.10", "10.0.0.11"] },
];
const compact = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Services of every type. Each assigned field is unset in every possible way. */
const bases: Readonly<Record<string, Json>> = {
  plain: {},
  headless: { clusterIP: "None", selector: { a: "b" } },
  bare: { clusterIP: "None" },
  outside: { type: "ExternalName", externalName: "a.b" },
  balanced: { type: "LoadBalancer" },
  prefers: { ipFamilyPolicy: "PreferDualStack" },
};
const changes: readonly Json[] = [
  { clusterIP: null },
  { clusterIPs: null },
  { clusterIP: null, clusterIPs: null },
  { clusterIP: "" },
  { clusterIPs: [] },
  { clusterIP: "", clusterIPs: [] },
  { clusterIP: "None" },
  { clusterIPs: ["None"] },
  { clusterIP: "10.0.9.9" },
  { clusterIPs: ["10.0.9.8"] },
  { clusterIP: "None", clusterIPs: ["None"] },
  { ipFamilies: null },
  { ipFamilyPolicy: null },
  { ipFamilies: null, ipFamilyPolicy: null },
  { ipFamilies: ["IPv6"] },
  { ipFamilies: ["IPv4", "IPv6"] },
  { ipFamilies: [] },
  { ipFamilyPolicy: "RequireDualStack" },
  { ipFamilyPolicy: "PreferDualStack" },
  { ipFamilyPolicy: "SingleStack" },
  { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" },
  { ipFamilies: ["IPv6", "IPv4"], ipFamilyPolicy: "PreferDualStack" },
  { type: "ExternalName", externalName: "c.d" },
  { type: "ExternalName", externalName: "c.d", clusterIP: null, clusterIPs: null },
  { type: "ClusterIP", externalName: null },
  { type: "ClusterIP", clusterIP: null, clusterIPs: null, ipFamilies: null, ipFamilyPolicy: null },
  { type: null },
  { sessionAffinity: null },
  { internalTrafficPolicy: null },
  { type: "NodePort", externalTrafficPolicy: null },
  { selector: null, clusterIP: null },
];

/** Addresses and their families, requested and removed in every possible way. */
const ports: readonly (readonly Json[])[] = [
  [{ nodePort: 80 }],
  [{ nodePort: 30041 }, { nodePort: 30041, port: 81 }],
  [{ nodePort: 30041 }, { nodePort: 30041, port: 81, protocol: "UDP" }],
  [{ nodePort: 30041 }, { protocol: "UDP" }],
  [{}, { nodePort: 30041, protocol: "UDP" }],
  [{ nodePort: 30041 }, { nodePort: 30042, protocol: "UDP" }],
  [{ nodePort: 30040 }],
  [{ nodePort: 30040, protocol: "UDP" }],
];
const portsOf = (some: readonly Json[]): readonly Json[] =>
  some.map((each, at) => ({ name: `p${String(at)}`, port: 80, ...each }));

export const serviceScenarios: Topic = {
  name: "services",
  setup: [post(services, service("taken", { type: "NodePort", ports: [{ port: 80, nodePort: 30040 }] }))],
  probes: [
    ...ports.flatMap((some) =>
      ["?dryRun=All", ""].flatMap((query) =>
        ["NodePort", "LoadBalancer", "ClusterIP"].flatMap((type) => [
          one(
            `ports/new${query} ${type} ${JSON.stringify(some)}`,
            post(`${services}${query}`, service("ports", { type, ports: portsOf(some) })),
            { method: "DELETE", path: `${services}/ports`, silent: true },
          ),
          one(
            `ports/changed${query} ${type} ${JSON.stringify(some)}`,
            { ...post(services, service("ports", { type })), silent: true },
            patchFor(`${services}/ports`, "merge", { spec: { ports: portsOf(some) } }),
            { method: "DELETE", path: `${services}/ports`, silent: true },
          ),
        ]),
      ),
    ),
    ...addresses.flatMap((given, at) =>
      policies.flatMap((ipFamilyPolicy) =>
        families.map((ipFamilies): Probe => {
          const spec = compact({ ...given, ipFamilyPolicy, ipFamilies });
          return one(`new/${JSON.stringify(spec)}`, post(`${services}?dryRun=All`, service(`s${String(at)}`, spec)));
        }),
      ),
    ),
    ...Object.entries(bases).flatMap(([name, spec]) =>
      changes
        .filter((change) => name !== "prefers" || change["clusterIP"] !== "None")
        .flatMap((change) =>
          (["merge", "strategic", "apply"] as const).map((type) =>
            one(
              `${name}/${type} ${JSON.stringify(change)}`,
              { ...post(services, service(`x-${name}`, spec)), silent: true },
              {
                ...patchFor(
                  `${services}/x-${name}`,
                  type,
                  type === "apply" ? service(`x-${name}`, change) : { spec: change },
                  type === "apply" ? "&force=true" : "",
                ),
              },
              get(`${services}/x-${name}`),
              { method: "DELETE", path: `${services}/x-${name}`, silent: true },
            ),
          ),
        ),
    ),
    // Node ports are shared by the whole cluster.
    one("end", { method: "DELETE", path: `${services}/taken`, silent: true }),
  ],
};
