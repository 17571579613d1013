import { describe, expect, it } from "vitest";
import { createCluster } from "../../../../../src/cluster/create-cluster.js";
import { type EndpointSubset, Endpoints, Service } from "../../../../../src/kinds/core/v1.js";
import { EndpointSlice } from "../../../../../src/kinds/discovery/v1.js";
import type { ObjectMeta } from "../../../../../src/meta/object.js";

/** Returns a subset with these addresses and ports. Addresses after a `!` aren't ready. */
function subset(addresses: string, ...ports: number[]): EndpointSubset {
  const all = addresses.split(" ");
  const notReady = all.flatMap((each) => (each.startsWith("!") ? [{ ip: each.slice(1) }] : []));
  const ready = all.flatMap((each) => (each.startsWith("!") ? [] : [{ ip: each }]));
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ports: ports.map((port) => ({ name: `p${port}`, port, protocol: "TCP" })),
  };
}

async function start(controllers?: readonly ["endpointslice-mirroring"]) {
  const cluster = await createCluster({ nodes: 0, time: "virtual", seed: 1, controllers, metrics: false });
  const of = (metadata: ObjectMeta = {}): ObjectMeta => ({ ...metadata, name: "web" });
  return {
    cluster,
    services: cluster.client.resource(Service).namespace("default"),
    endpoints: cluster.client.resource(Endpoints).namespace("default"),
    service: (spec: object = {}) =>
      cluster.client
        .resource(Service)
        .namespace("default")
        .create({ metadata: of(), spec: { ports: [{ port: 80 }], ...spec } }),
    write: (subsets: EndpointSubset[], metadata?: ObjectMeta) =>
      cluster.client
        .resource(Endpoints)
        .namespace("default")
        .create({ metadata: of(metadata), subsets }),
    async slices(): Promise<EndpointSlice[]> {
      await cluster.settled();
      const list = await cluster.client.resource(EndpointSlice).namespace("default").list();
      return list.items.filter(
        ({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] === "web",
      ) as EndpointSlice[];
    },
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}

const managedBy = "endpointslice.kubernetes.io/managed-by";
const shown = (slices: readonly EndpointSlice[]): string[] =>
  slices
    .map(({ addressType, ports, endpoints }) => {
      const places = (endpoints ?? []).map(({ addresses, conditions }) =>
        conditions?.ready === true ? addresses[0] : `!${addresses[0]}`,
      );
      return `${addressType} ${(ports ?? []).map(({ port }) => port).join("+")}: ${places.join(" ")}`;
    })
    .sort();

describe("EndpointSlices of Endpoints that a user writes", () => {
  it.each([
    { title: "an address", subsets: [subset("10.9.0.1", 80)], slices: ["IPv4 80: 10.9.0.1"] },
    {
      title: "an address that isn't ready",
      subsets: [subset("10.9.0.1 !10.9.0.2", 80)],
      slices: ["IPv4 80: 10.9.0.1 !10.9.0.2"],
    },
    {
      title: "subsets with different addresses, one slice each",
      subsets: [subset("10.9.0.1", 80), subset("10.9.0.2", 81)],
      slices: ["IPv4 80: 10.9.0.1", "IPv4 81: 10.9.0.2"],
    },
    {
      title: "subsets with the same addresses, as one slice",
      subsets: [subset("10.9.0.1", 80), subset("10.9.0.1", 81)],
      slices: ["IPv4 80+81: 10.9.0.1"],
    },
    {
      title: "an address that one subset calls ready and another doesn't, as not ready",
      subsets: [subset("10.9.0.1", 80), subset("!10.9.0.1", 80)],
      slices: ["IPv4 80: !10.9.0.1"],
    },
    {
      title: "both families, one slice each",
      subsets: [subset("10.9.0.1 2001:db8::1", 80)],
      slices: ["IPv4 80: 10.9.0.1", "IPv6 80: 2001:db8::1"],
    },
    { title: "no addresses, without a slice", subsets: [], slices: [] },
  ])("mirror $title", async ({ subsets, slices }) => {
    await using web = await start(["endpointslice-mirroring"]);
    await web.service();
    await web.write(subsets);
    expect(shown(await web.slices())).toEqual(slices);
  });

  it.each<{ title: string; metadata?: ObjectMeta; spec?: object }>([
    { title: "the label skip-mirror", metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } } },
    {
      title: "the annotation of a leader election",
      metadata: { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } },
    },
    { title: "a Service with a selector", spec: { selector: { app: "web" } } },
  ])("don't exist for $title", async ({ metadata, spec }) => {
    await using web = await start(["endpointslice-mirroring"]);
    await web.service(spec);
    await web.write([subset("10.9.0.1", 80)], metadata);
    expect(await web.slices()).toEqual([]);
  });

  it("have the labels and annotations of the object, which owns them", async () => {
    await using web = await start(["endpointslice-mirroring"]);
    await web.service();
    const annotations = {
      note: "kept",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
      "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z",
    };
    const { metadata } = await web.write([subset("10.9.0.1", 80)], { labels: { team: "blue" }, annotations });
    const [slice] = await web.slices();
    expect(slice?.metadata).toMatchObject({
      generateName: "web-",
      labels: {
        team: "blue",
        "kubernetes.io/service-name": "web",
        [managedBy]: "endpointslicemirroring-controller.k8s.io",
      },
      annotations: { note: "kept" },
      ownerReferences: [{ kind: "Endpoints", uid: metadata!.uid, controller: true }],
    });
    expect(Object.keys(slice!.metadata!.annotations!)).toEqual(["note"]);
  });

  it("follow changes of the object and of its Service, in the same slice", async () => {
    await using web = await start();
    await web.service();
    await web.write([subset("10.9.0.1", 80)]);
    const [first] = await web.slices();
    await web.endpoints.patch("web", { type: "merge", patch: { subsets: [subset("10.9.0.2", 81)] } });
    const [second] = await web.slices();
    expect(second?.metadata?.uid).toBe(first?.metadata?.uid);
    expect(shown([second!])).toEqual(["IPv4 81: 10.9.0.2"]);
    await web.endpoints.delete("web");
    expect(await web.slices()).toEqual([]);
    await web.write([subset("10.9.0.1", 80)]);
    await web.services.patch("web", { type: "merge", patch: { spec: { selector: { app: "web" } } } });
    expect((await web.slices()).map(({ metadata }) => metadata?.labels?.[managedBy])).toEqual([
      "endpointslice-controller.k8s.io",
    ]);
  });

  it("hold at most 1,000 addresses of a subset, and an event says how many are missing", async () => {
    await using web = await start(["endpointslice-mirroring"]);
    await web.service();
    const many = Array.from({ length: 1_003 }, (_, at) => `10.9.${at >> 8}.${at & 255}`).join(" ");
    await web.write([subset(many, 80)]);
    expect((await web.slices()).map(({ endpoints }) => endpoints?.length)).toEqual([1_000]);
    expect(await web.cluster.events("default/web")).toMatchObject([
      {
        reason: "TooManyAddressesToMirror",
        message: expect.stringMatching(/^A max of 1000 addresses .* 3 addresses were skipped$/),
      },
    ]);
  });

  it("wait while a slice has lost its manager, and stay as they are without an owner", async () => {
    await using all = await start();
    const { cluster, service, write, endpoints, slices } = all;
    await service();
    await write([subset("10.9.0.1", 80)]);
    const [slice] = await slices();
    const handle = cluster.client.resource(EndpointSlice).namespace("default");
    const edit = async (metadata: object): Promise<void> => {
      await handle.patch(slice!.metadata!.name!, { type: "merge", patch: { metadata } as never });
      await cluster.settled();
    };
    await edit({ ownerReferences: null });
    expect((await slices()).map(({ metadata }) => metadata?.ownerReferences)).toEqual([undefined]);
    await edit({ labels: { [managedBy]: null } });
    await endpoints.patch("web", { type: "merge", patch: { subsets: [subset("10.9.0.2", 80)] } });
    expect(shown(await slices())).toEqual(["IPv4 80: 10.9.0.1"]);
    await edit({ labels: { [managedBy]: "endpointslicemirroring-controller.k8s.io" } });
    expect(shown(await slices())).toEqual(["IPv4 80: 10.9.0.2"]);
  });
});
