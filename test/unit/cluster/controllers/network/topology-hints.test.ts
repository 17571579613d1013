import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../../src/cluster/cluster.js";
import { usesTopologyHints } from "../../../../../src/cluster/controllers/network/topology-hints.js";
import { planHints } from "../../../../../src/cluster/controllers/network/zone-hints.js";
import { isOverloaded, zoneShares } from "../../../../../src/cluster/controllers/network/zone-shares.js";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { Event, Node, Pod, Service } from "../../../../../src/kinds/core/v1.js";
import { type Endpoint, EndpointSlice } from "../../../../../src/kinds/discovery/v1.js";

interface NodeTraits {
  readonly zone?: string;
  readonly cpu?: string;
  readonly ready?: string;
  readonly labels?: object;
}

const node = ({ zone, cpu = "4", ready = "True", labels }: NodeTraits): Node =>
  ({
    metadata: { labels: { ...labels, ...(zone !== undefined && { "topology.kubernetes.io/zone": zone }) } },
    status: { allocatable: { cpu }, conditions: [{ type: "Ready", status: ready }] },
  }) as Node;

/** Endpoints by zone and hint, such as `a a>b`; `!a` isn't ready, `-` has no zone. */
const endpoints = (text: string): Endpoint[] =>
  text.split(" ").flatMap((word) => {
    const [, state, zone, hint] = /^(!?)([^>]*)(?:>(.*))?$/.exec(word)!;
    if (zone === "") return [];
    return {
      addresses: [],
      conditions: { ready: state !== "!" },
      ...(zone !== "-" && { zone }),
      ...(hint !== undefined && { hints: { forZones: [{ name: hint }] } }),
    };
  });
const shown = (list: readonly Endpoint[]): string =>
  list
    .map(({ conditions, zone = "-", hints }) => {
      const zones = hints?.forZones?.map(({ name }) => name).join("+");
      return `${conditions?.ready === true ? "" : "!"}${zone}${zones === undefined ? "" : `>${zones}`}`;
    })
    .join(" ");
const slice = (text: string): EndpointSlice => ({ addressType: "IPv4", endpoints: endpoints(text) }) as EndpointSlice;

const mode = "service.kubernetes.io/topology-mode";

describe("usesTopologyHints", () => {
  const old = "service.kubernetes.io/topology-aware-hints";
  it.each([
    [{}, false],
    [{ [mode]: "Auto" }, true],
    [{ [mode]: "auto" }, true],
    [{ [mode]: "Always" }, false],
    [{ [old]: "Auto" }, true],
    [{ [old]: "Disabled", [mode]: "Auto" }, false],
  ])("reads %j", (annotations, uses) => {
    expect(usesTopologyHints({ metadata: { annotations } })).toBe(uses);
  });
});

describe("zoneShares", () => {
  it.each<[string, NodeTraits[], Record<string, number> | undefined]>([
    ["divides by CPU time", [{ zone: "a" }, { zone: "b", cpu: "3" }, { zone: "b", cpu: "9" }], { a: 0.25, b: 0.75 }],
    [
      "reads parts of CPUs",
      [
        { zone: "a", cpu: "500m" },
        { zone: "b", cpu: "1.5" },
      ],
      { a: 0.25, b: 0.75 },
    ],
    ["needs two zones", [{ zone: "a" }, { zone: "a" }], undefined],
    ["needs nodes", [], undefined],
    [
      "leaves out nodes that aren't ready",
      [{ zone: "a" }, { zone: "b" }, { zone: "c", ready: "Unknown" }],
      { a: 0.5, b: 0.5 },
    ],
    ["counts no zone of lost nodes", [{ zone: "a" }, { zone: "b", ready: "False" }], undefined],
    ["needs the zone of each ready node", [{ zone: "a" }, { zone: "b" }, {}], undefined],
    ["needs the CPU time of each ready node", [{ zone: "a" }, { zone: "b" }, { zone: "c", cpu: "0" }], undefined],
    [
      "leaves out nodes of the control plane",
      [
        { zone: "a" },
        { zone: "b" },
        { labels: { "node-role.kubernetes.io/control-plane": "" } },
        { labels: { "node-role.kubernetes.io/master": "" } },
      ],
      { a: 0.5, b: 0.5 },
    ],
  ])("%s", (_title, nodes, shares) => {
    expect(zoneShares(nodes.map(node))).toEqual(shares && new Map(Object.entries(shares)));
  });
});

describe("isOverloaded", () => {
  it.each<[string, Record<string, number>, Record<string, number> | undefined, boolean]>([
    ["no zone with its share", { a: 2, b: 2 }, { a: 0.5, b: 0.5 }, false],
    ["no zone with 20 % more traffic per endpoint", { a: 5, b: 7 }, { a: 0.5, b: 0.5 }, false],
    ["a zone with more", { a: 4, b: 8 }, { a: 0.5, b: 0.5 }, true],
    ["a new zone", { a: 2, b: 2 }, { a: 0.4, b: 0.4, c: 0.2 }, true],
    ["a Service if shares aren't known any more", { a: 2, b: 2 }, undefined, true],
  ])("finds %s", (_title, served, shares, overloaded) => {
    const map = (each: Record<string, number>): Map<string, number> => new Map(Object.entries(each));
    expect(isOverloaded(map(served), shares && map(shares))).toBe(overloaded);
  });
});

describe("planHints", () => {
  /** Slices that a plan creates and keeps, and what becomes of them: `=` marks those that it still keeps. */
  interface Case {
    readonly title: string;
    readonly shares?: Record<string, number>;
    readonly create?: string;
    readonly keep?: string[];
    readonly created?: string;
    readonly slices?: string[];
    readonly problem?: string;
  }
  const halves = { a: 0.5, b: 0.5 };
  it.each<Case>([
    { title: "lets endpoints serve their own zone", create: "a b a b", created: "a>a b>b a>a b>b" },
    { title: "leaves out endpoints that aren't ready", create: "a !b b", created: "a>a !b b>b" },
    { title: "moves endpoints to a zone with too few", create: "a a a b", created: "a>b a>a a>a b>b" },
    {
      title: "moves none for less than half an endpoint",
      create: "a a a a b b b",
      created: "a>a a>a a>a a>a b>b b>b b>b",
    },
    {
      title: "divides by the shares of three zones",
      shares: { a: 0.5, b: 0.25, c: 0.25 },
      create: "a a b b b b c c",
      created: "a>a a>a b>a b>a b>b b>b c>c c>c",
    },
    {
      title: "serves a zone without endpoints",
      shares: { a: 0.5, b: 0.25, c: 0.25 },
      create: "a a a a b b b b",
      created: "a>a a>a a>a a>a b>c b>c b>b b>b",
    },
    {
      title: "refuses without shares",
      shares: {},
      create: "a>a b",
      created: "a b",
      problem: "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    },
    {
      title: "refuses fewer endpoints than zones",
      create: "a !b",
      created: "a !b",
      problem: "Insufficient number of endpoints (1 endpoints, 2 zones)",
    },
    {
      title: "refuses to overload a zone",
      shares: { a: 0.01, b: 0.99 },
      create: "a b",
      created: "a b",
      problem:
        "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (2 endpoints, 2 zones)",
    },
    {
      title: "refuses endpoints without a zone",
      create: "a -",
      created: "a -",
      problem: "One or more endpoints do not have a zone specified",
    },
    {
      title: "keeps slices with good hints",
      create: "a b",
      keep: ["a>b b>a"],
      created: "a>a b>b",
      slices: ["=a>b b>a"],
    },
    { title: "adds hints to kept slices without them", keep: ["a b a>a a"], slices: ["a>b b>b a>a a>a"] },
    { title: "changes hints for zones that are gone", keep: ["a>a b>c"], slices: ["a>a b>b"] },
    {
      title: "changes hints of kept slices if too many are for a zone",
      keep: ["a>a b>b", "a>a a>a"],
      slices: ["=a>a b>b", "a>b a>a"],
    },
    {
      title: "writes nothing if better hints aren't possible",
      keep: ["a>a b>b c>c c>c"],
      slices: ["=a>a b>b c>c c>c"],
    },
    {
      title: "removes hints from kept slices",
      keep: ["a>a", "!b"],
      slices: ["a", "=!b"],
      problem: "Insufficient number of endpoints (1 endpoints, 2 zones)",
    },
  ])("$title", ({ shares = halves, create, keep = [], created, slices = [], problem }) => {
    const groups =
      create === undefined ? [] : [{ addressType: "IPv4" as const, ports: [], endpoints: endpoints(create) }];
    const plan = { create: groups, update: [], delete: [], keep: keep.map(slice) };
    const known = new Map(Object.entries(shares));
    const hinted = planHints(plan, known.size === 0 ? undefined : known);
    expect(hinted.plan.create.map((group) => shown(group.endpoints))).toEqual(created === undefined ? [] : [created]);
    const updated = new Map(hinted.plan.update.map((each) => [each.slice, shown(each.endpoints)]));
    const kept = new Set(hinted.plan.keep);
    expect(
      plan.keep.map((each) => updated.get(each) ?? `${kept.has(each) ? "=" : "?"}${shown(each.endpoints ?? [])}`),
    ).toEqual(slices);
    expect("problem" in hinted ? hinted.problem : undefined).toBe(problem);
  });
});

describe("Services with the annotation topology-mode", () => {
  async function start(): Promise<Cluster> {
    const cluster = await createCluster({
      nodes: ["a", "b"].map((zone) => ({ name: `node-${zone}`, labels: { "topology.kubernetes.io/zone": zone } })),
      time: "virtual",
      seed: 1,
    });
    const containers = [{ name: "main", image: "web:1" }];
    for (const [index, nodeName] of ["node-a", "node-a", "node-a", "node-b"].entries())
      await cluster.client
        .resource(Pod)
        .namespace("default")
        .create({ metadata: { name: `web-${String(index)}`, labels: { app: "web" } }, spec: { nodeName, containers } });
    await cluster.settled();
    await cluster.client
      .resource(Service)
      .namespace("default")
      .create({
        metadata: { name: "web", annotations: { [mode]: "Auto" } },
        spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
      });
    return cluster;
  }
  async function state(cluster: Cluster): Promise<string[]> {
    await cluster.settled();
    const labelSelector = "kubernetes.io/service-name=web";
    const slices = await cluster.client.resource(EndpointSlice).namespace("default").list({ labelSelector });
    const events = await cluster.client.resource(Event).namespace("default").list();
    return [
      ...slices.items.map((each) => shown(each.endpoints ?? [])),
      ...events.items
        .filter(({ involvedObject }) => involvedObject.kind === "Service")
        .map(({ type, reason, message, source }) => `${type} ${reason} ${message} ${source?.component}`),
    ];
  }
  const enabled =
    "Normal TopologyAwareHintsEnabled Topology Aware Hints has been enabled, addressType: IPv4 endpoint-slice-controller";

  it("have hints, and lose them with the annotation, and with the second zone", async () => {
    await using cluster = await start();
    expect(await state(cluster)).toEqual(["a>b a>a a>a b>b", enabled]);
    const services = cluster.client.resource(Service).namespace("default");
    const annotate = (value: string | null): Promise<unknown> =>
      services.patch("web", { type: "merge", patch: { metadata: { annotations: { [mode]: value } } } });
    await annotate(null);
    const removed =
      "Warning TopologyAwareHintsDisabled Topology Aware Hints has been disabled, addressType: IPv4 endpoint-slice-controller";
    expect(await state(cluster)).toEqual(["a a a b", enabled, removed]);
    await annotate("Auto");
    expect((await state(cluster))[0]).toBe("a>b a>a a>a b>b");
    const patch = { metadata: { labels: { "topology.kubernetes.io/zone": "a" } } };
    await cluster.client.resource(Node).patch("node-b", { type: "merge", patch });
    expect(await state(cluster)).toEqual([
      "a a a a",
      enabled,
      removed,
      "Warning TopologyAwareHintsDisabled Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4 endpoint-slice-controller",
    ]);
  });
});
