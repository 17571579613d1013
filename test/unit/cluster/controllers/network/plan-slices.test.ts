import { expect, it } from "vitest";
import { planSlices } from "../../../../../src/cluster/controllers/network/plan-slices.js";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../../../../src/kinds/discovery/v1.js";

const ports: EndpointPort[] = [{ name: "", port: 80, protocol: "TCP" }];
const labels = { app: "web", "kubernetes.io/service-name": "web" };

/** Returns endpoints with the numbers from one to another, such as `1-95`. A number with a mark isn't ready: `3!`. */
function endpoints(range: string): Endpoint[] {
  return range.split(" ").flatMap((part) => {
    if (part === "") return [];
    const [from = 0, to = from] = part.split("-").map((text) => Number.parseInt(text, 10));
    return Array.from({ length: to - from + 1 }, (_, index) => ({
      addresses: [`10.0.0.${String(from + index)}`],
      conditions: { ready: !part.endsWith("!") },
      targetRef: { kind: "Pod", uid: String(from + index) },
    }));
  });
}

interface Slice {
  readonly has: string;
  readonly labels?: Record<string, string>;
  readonly ports?: EndpointPort[];
}

it.each<[string, Record<string, Slice>, string, string[]]>([
  ["a new Service gets full slices", {}, "1-120", ["new 100", "new 20"]],
  ["a Service without endpoints gets an empty slice", {}, "", ["new 0"]],
  ["endpoints that fit go to an unchanged slice", { a: { has: "1-95" } }, "1-100", ["a 100"]],
  ["endpoints that don't fit get a slice", { a: { has: "1-95" } }, "1-120", ["new 25", "keep a"]],
  ["endpoints fill a slice that changes anyway", { a: { has: "1-94 95!" } }, "1-120", ["new 20", "a 100"]],
  [
    "the fullest slice that changes is filled first",
    { a: { has: "1-10 11!" }, b: { has: "20-109 110!" } },
    "1-11 20-113",
    ["b 94", "a 11"],
  ],
  [
    "the fullest slice with room for all is filled",
    { a: { has: "1-10" }, b: { has: "20-109" }, c: { has: "120-217" } },
    "1-10 20-113 120-217",
    ["b 94", "keep c", "keep a"],
  ],
  [
    "what doesn't fit into a changed slice goes to an unchanged one",
    { a: { has: "1-97 98!" }, b: { has: "200-250" } },
    "1-98 200-260",
    ["a 100", "b 59"],
  ],
  [
    "of more endpoints than a slice holds, the last go to an unchanged one",
    { a: { has: "1-50" } },
    "1-200",
    ["new 100", "a 100"],
  ],
  ["a slice without endpoints goes", { a: { has: "1" }, b: { has: "2" } }, "1", ["keep a", "delete b"]],
  ["the last slice stays when it's empty", { a: { has: "1" } }, "", ["a 0"]],
  ["a slice that is emptied takes the place of a new one", { a: { has: "1-3" } }, "4-5", ["a 2"]],
  ["a slice for other ports takes the place of a new one", { a: { has: "1-3", ports: [] } }, "1-3", ["a 3"]],
  ["a slice with other labels of the Service changes", { a: { has: "1", labels: { app: "old" } } }, "1", ["a 1"]],
  ["a slice that lacks a label of the controller stays", { a: { has: "1", labels: { app: "web" } } }, "1", ["keep a"]],
])("%s", (_, existing, wanted, expected) => {
  const slices = Object.entries(existing).map(
    ([name, { has, labels: own = labels, ports: ownPorts = ports }]): EndpointSlice => ({
      metadata: { name, labels: own },
      addressType: "IPv4",
      ports: ownPorts,
      endpoints: endpoints(has),
    }),
  );
  const desired = endpoints(wanted);
  const group = { addressType: "IPv4" as const, ports: desired.length === 0 ? [] : ports, endpoints: desired };
  const plan = planSlices(slices, { groups: [group], labels });
  expect([
    ...plan.create.map((each) => `new ${String(each.endpoints.length)}`),
    ...plan.update.map((each) => `${each.slice.metadata!.name!} ${String(each.endpoints.length)}`),
    ...plan.keep.map(({ metadata }) => `keep ${metadata!.name!}`),
    ...plan.delete.map(({ metadata }) => `delete ${metadata!.name!}`),
  ]).toEqual(expected);
  const kept = plan.keep.flatMap((slice) => slice.endpoints ?? []);
  const all = [...plan.create, ...plan.update].flatMap((each) => each.endpoints).concat(kept as Endpoint[]);
  expect(all.map(({ targetRef }) => Number(targetRef!.uid)).sort((a, b) => a - b)).toEqual(
    desired.map(({ targetRef }) => Number(targetRef!.uid)).sort((a, b) => a - b),
  );
});
