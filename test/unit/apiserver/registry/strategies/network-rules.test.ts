// The errors were recorded from kube-apiserver 1.36.
import { afterAll, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../../src/apiserver/server.js";
import type { Service } from "../../../../../src/kinds/core/v1.js";
import { sendJson } from "../../../../support/send-json.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

const networking = "/apis/networking.k8s.io/v1";

async function send(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ message?: string; kind: string } & Record<string, unknown>> {
  return (await sendJson<{ message?: string; kind: string }>(server, { method, path: `${networking}${path}`, body }))
    .body;
}

const time = "2026-01-01T00:00:00Z";

async function createService(
  target: ApiServer,
  name: string,
  more: object = {},
  query = "",
): Promise<{ code?: number; message?: string; spec?: Service["spec"] }> {
  const path = `/api/v1/namespaces/default/services${query}`;
  const body = { metadata: { name }, spec: { ports: [{ port: 80 }], ...more } };
  return (await sendJson<{ message?: string }>(target, { method: "POST", path, body })).body;
}

const reasons: Readonly<Record<string, string>> = {
  FieldValueRequired: "Required value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
};

/** Returns the causes of a failure in the form `field: reason`. */
function problems({ details }: Record<string, unknown>): string[] {
  const { causes = [] } = (details ?? {}) as { causes?: { field: string; reason: string }[] };
  return causes.map(({ field, reason }) => `${field}: ${reasons[reason] ?? reason}`).sort();
}

/** Parses the causes in a message of kube-apiserver to `field: reason`. */
function recorded(message = ""): string[] {
  return [...message.matchAll(/[a-z][\w.[\]]*: (?:Required value|Invalid value|Unsupported value|Forbidden)/g)]
    .map(([cause]) => cause)
    .sort();
}

const NO_ADDRESS = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const NO_RANGE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const parent = { resource: "services", namespace: "b", name: "a" };

describe("IPAddress", () => {
  it.each([
    ["10.0.0.77", undefined],
    ["fe80::42:1dff:fe84:f9e2", undefined],
    ["010.0.0.5", "must not have leading 0s"],
    ["FE80::2", 'must be in canonical form ("fe80::2")'],
    ["fe80:0::3", 'must be in canonical form ("fe80::3")'],
    ["::ffff:1.2.3.4", "must not be an IPv4-mapped IPv6 address"],
    ["1::2%eth", NO_ADDRESS],
    ["x", NO_ADDRESS],
    ["1.2.3", NO_ADDRESS],
  ])("with name %s is valid or fails with %s", async (name, problem) => {
    const answer = await send("POST", "/ipaddresses", { metadata: { name }, spec: { parentRef: parent } });
    expect(problems(answer)).toEqual(problem === undefined ? [] : ["metadata.name: Invalid value"]);
  });

  it.each([
    [{}, "spec.parentRef: Required value"],
    [{ parentRef: {} }, "[spec.parentRef.resource: Required value, spec.parentRef.name: Required value]"],
    [
      { parentRef: { group: "a.b", resource: "a/b", name: "..", namespace: "%" } },
      "[spec.parentRef.resource: Invalid value: \"a/b\": may not contain '/', spec.parentRef.name: Invalid value: \"..\": may not be '..', spec.parentRef.namespace: Invalid value: \"%\": may not contain '%']",
    ],
  ])("with spec %j is rejected", async (spec, text) => {
    expect(problems(await send("POST", "/ipaddresses", { metadata: { name: "10.0.0.9" }, spec }))).toEqual(
      recorded(text),
    );
  });

  it("keeps its parentRef on updates", async () => {
    await send("POST", "/ipaddresses", { metadata: { name: "10.0.1.1" }, spec: { parentRef: parent } });
    expect(problems(await send("PATCH", "/ipaddresses/10.0.1.1", { spec: { parentRef: { name: "z" } } }))).toEqual([
      "spec.parentRef: Invalid value",
    ]);
    expect((await send("PATCH", "/ipaddresses/10.0.1.1", { metadata: { labels: { a: "b" } } })).kind).toBe("IPAddress");
  });
});

describe("ServiceCIDR", () => {
  it("kubernetes exists from the start, is ready, and contains the Services' addresses", async () => {
    const made = await send("GET", "/servicecidrs/kubernetes");
    expect(made).toMatchObject({
      spec: { cidrs: ["10.0.0.0/16"] },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
    expect(problems(await send("PATCH", "/servicecidrs/kubernetes", { spec: { cidrs: ["10.9.0.0/24"] } }))).toEqual([
      "spec.cidrs[0]: Invalid value",
    ]);
    expect(
      problems(await send("PATCH", "/servicecidrs/kubernetes", { spec: { cidrs: ["10.0.0.0/16", "fd00::/64"] } })),
    ).toEqual([]);
    expect(problems(await send("PATCH", "/servicecidrs/kubernetes", { spec: { cidrs: ["10.0.0.0/16"] } }))).toEqual([
      "spec.cidrs: Invalid value",
    ]);
  });

  it("doesn't track a status that is written with the object", async () => {
    const status = { conditions: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: time }] };
    await send("POST", "/servicecidrs", { metadata: { name: "tracked" }, spec: { cidrs: ["10.7.0.0/24"] } });
    const written = await send("PATCH", "/servicecidrs/tracked", { metadata: { labels: { a: "b" } }, status });
    expect(written["status"]).toEqual({});
    expect(JSON.stringify(written["metadata"])).toContain("f:labels");
    expect(JSON.stringify(written["metadata"])).not.toContain("f:status");
  });

  it.each([
    [[], "spec.cidrs: Required value: at least one CIDR required"],
    [["x"], `spec.cidrs[0]: Invalid value: "x": ${NO_RANGE}`],
    [["10.1.0.1/24"], 'spec.cidrs[0]: Invalid value: "10.1.0.1/24": must not have bits set beyond the prefix length'],
    [
      ["10.1.0.0/24", "10.2.0.0/24"],
      'spec.cidrs: Invalid value: ["10.1.0.0/24","10.2.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
    [["10.01.0.0/24"], 'spec.cidrs[0]: Invalid value: "10.01.0.0/24": must not have leading 0s in IP or prefix length'],
    [["a", "b", "c"], 'spec.cidrs: Invalid value: {"CIDRs":["a","b","c"]}: may only hold up to 2 values'],
    [["FD00::/64"], 'spec.cidrs[0]: Invalid value: "FD00::/64": must be in canonical form ("fd00::/64")'],
    [
      ["::ffff:10.0.0.0/112"],
      'spec.cidrs[0]: Invalid value: "::ffff:10.0.0.0/112": must not have an IPv4-mapped IPv6 address',
    ],
    [["10.1.0.0/24", "fd00::/64"], undefined],
  ])("with %j is valid or fails with %s", async (cidrs, text) => {
    expect(problems(await send("POST", "/servicecidrs", { metadata: { name: "mine" }, spec: { cidrs } }))).toEqual(
      recorded(text),
    );
  });
});

describe("cluster IP of a Service", () => {
  it.each([["10.0.0.0"], ["10.0.255.255"], ["10.3.0.1"]])("%s is in no range", async (clusterIP) => {
    const { message } = await createService(server, "web", { clusterIP });
    const problem = `failed to allocate IP ${clusterIP}: the provided network does not match the current range`;
    expect(message).toContain(`spec.clusterIPs: Invalid value: ["${clusterIP}"]: ${problem}`);
  });

  it("fails in a dry run if it's in no range, with other words", async () => {
    const { message } = await createService(server, "web", { clusterIP: "10.3.0.1" }, "?dryRun=All");
    expect(message).toContain("(10.3.0.1) is not in the valid range. The range of valid IPs is 10.0.0.0/16");
  });

  it("differs from those of other Services that are created at the same time, and so do node ports", async () => {
    await using own = createApiServer({ controllers: false });
    const made = await Promise.all(["a", "b", "c"].map((name) => createService(own, name, { type: "NodePort" })));
    expect(made.map(({ spec }) => spec?.clusterIP)).toEqual(["10.0.0.144", "10.0.0.145", "10.0.0.146"]);
    expect(made.map(({ spec }) => spec?.ports?.[0]?.nodePort)).toEqual([31871, 31872, 31873]);
    const address = { clusterIP: "10.0.0.9" };
    const both = await Promise.all(["d", "e"].map((name) => createService(own, name, address)));
    expect(both.map(({ code }) => code)).toEqual([undefined, 422]);
  });

  it("isn't one that has an IPAddress of another program", async () => {
    await using own = createApiServer();
    const parentRef = { group: "example.com", resource: "gateways", namespace: "default", name: "g" };
    for (const name of ["10.0.0.9", "10.0.0.144"]) {
      const body = { metadata: { name }, spec: { parentRef } };
      expect((await sendJson(own, { method: "POST", path: `${networking}/ipaddresses`, body })).status).toBe(201);
    }
    expect((await createService(own, "wanted", { clusterIP: "10.0.0.9" })).code).toBe(422);
    expect((await createService(own, "wanted", { clusterIP: "10.0.0.9" }, "?dryRun=All")).code).toBeUndefined();
    expect((await createService(own, "any", {})).spec?.clusterIP).toBe("10.0.0.145");
    await own.settled();
    expect((await sendJson(own, { method: "DELETE", path: `${networking}/ipaddresses/10.0.0.9` })).status).toBe(200);
    expect((await createService(own, "wanted", { clusterIP: "10.0.0.9" })).code).toBeUndefined();
  });

  it("is free again if its Service is refused", async () => {
    const address = { clusterIP: "10.0.0.78" };
    const refused = await createService(server, "refused", { ...address, ports: [{ port: -1 }] });
    expect(refused.message).toContain("spec.ports[0].port");
    expect((await createService(server, "accepted", address)).spec).toMatchObject(address);
  });

  it("stays another Service's if one that names its node port is refused, or doesn't need ports", async () => {
    await using own = createApiServer({ controllers: false });
    const ports = [{ port: 80, nodePort: 30040 }];
    const statuses: unknown[] = [];
    for (const [name, type] of Object.entries({ holder: "NodePort", other: "ClusterIP", third: "NodePort" }))
      statuses.push((await createService(own, name, { type, ports })).code);
    expect(statuses).toEqual([undefined, 422, 422]);
  });

  it("comes from the ServiceCIDRs that are ready", async () => {
    await using own = createApiServer({ controllers: false });
    const cidrs = `${networking}/servicecidrs`;
    const addressOf = async (name: string, spec?: object): Promise<string | undefined> => {
      const { spec: created, message } = await createService(own, name, spec);
      return created?.clusterIP ?? message;
    };
    const create = (name: string, ...ranges: string[]) =>
      sendJson(own, { method: "POST", path: cidrs, body: { metadata: { name }, spec: { cidrs: ranges } } });
    await create("more", "fd00::/112", "10.9.0.0/29");
    expect([await addressOf("a"), await addressOf("b", { clusterIP: "10.9.0.6" })]).toEqual(["10.0.0.144", "10.9.0.6"]);
    expect(await addressOf("c", { clusterIP: "10.9.0.7" })).toContain("does not match the current range");
    const finalizers = ["example.com/hold"];
    await sendJson(own, { method: "PATCH", path: `${cidrs}/kubernetes`, body: { metadata: { finalizers } } });
    await sendJson(own, { method: "DELETE", path: `${cidrs}/kubernetes` });
    const given = await Promise.all(["c", "d", "e", "f", "g"].map((name) => addressOf(name)));
    expect(given.sort()).toEqual(["10.9.0.1", "10.9.0.2", "10.9.0.3", "10.9.0.4", "10.9.0.5"]);
    expect(await addressOf("h")).toContain("failed to allocate a serviceIP: range is full");
    await create("small", "10.8.0.0/32", "fd00:1::/112");
    expect(await addressOf("h")).toContain("range is full");
    const conditions = [{ type: "Ready", status: "False", reason: "Test", message: "", lastTransitionTime: time }];
    await create("unready", "10.7.0.0/24");
    await sendJson(own, { method: "PATCH", path: `${cidrs}/unready/status`, body: { status: { conditions } } });
    expect(await addressOf("h", { clusterIP: "10.7.0.1" })).toContain("does not match the current range");
  });
});

describe("NetworkPolicy is rejected", () => {
  const ports = (list: unknown[]): object => ({ egress: [{ ports: list }] });
  const peers = (list: unknown[]): object => ({ ingress: [{ from: list }] });
  const port = "spec.egress[0].ports[0]";
  const peer = (index: number): string => `spec.ingress[0].from[${String(index)}]`;

  it.each([
    [
      "endPort without a port",
      ports([{ endPort: 2 }]),
      `${port}.endPort: Invalid value: 2: may not be specified when \`port\` is not specified`,
    ],
    [
      "endPort with a named port",
      ports([{ port: "serve", endPort: 2 }]),
      `${port}.endPort: Invalid value: 2: may not be specified when \`port\` is non-numeric`,
    ],
    [
      "endPort below the port",
      ports([{ port: 3, endPort: 2 }]),
      `${port}.endPort: Invalid value: 3: must be greater than or equal to \`port\``,
    ],
    [
      "invalid ports",
      ports([{ port: 0, endPort: 70000 }, { port: "A_b" }, { protocol: "x" }]),
      `[${port}.port: Invalid value: 0: must be between 1 and 65535, inclusive, ${port}.endPort: Invalid value: 70000: must be between 1 and 65535, inclusive, ` +
        'spec.egress[0].ports[1].port: Invalid value: "A_b": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-), spec.egress[0].ports[2].protocol: Unsupported value: "x": supported values: "TCP", "UDP", "SCTP"]',
    ],
    ["endPort equal to the port", ports([{ port: 2, endPort: 2 }]), undefined],
    ["an empty peer", peers([{}]), `${peer(0)}: Required value: must specify a peer`],
    [
      "two kinds of peer",
      peers([{ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }]),
      `${peer(0)}: Forbidden: may not specify both ipBlock and another peer`,
    ],
    [
      "invalid ranges",
      peers([
        { ipBlock: { cidr: "" } },
        { ipBlock: { cidr: "x" } },
        { ipBlock: { cidr: "10.0.0.0/8", except: ["x", "11.0.0.0/8", "10.0.0.0/8", "10.1.0.0/16"] } },
      ]),
      `[${peer(0)}.ipBlock.cidr: Required value, ${peer(1)}.ipBlock.cidr: Invalid value: "x": ${NO_RANGE}, ${peer(2)}.ipBlock.except[0]: Invalid value: "x": ${NO_RANGE}, ` +
        `${peer(2)}.ipBlock.except[1]: Invalid value: "11.0.0.0/8": must be a strict subset of \`cidr\`, ${peer(2)}.ipBlock.except[2]: Invalid value: "10.0.0.0/8": must be a strict subset of \`cidr\`]`,
    ],
    [
      "a selector without values",
      peers([{ namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] } }]),
      `${peer(0)}.namespaceSelector.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ],
    [
      "three policy types",
      { policyTypes: ["Ingress", "Egress", "Ingress"] },
      'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more than two policyTypes',
    ],
    [
      "an unknown policy type",
      { policyTypes: ["x"] },
      'spec.policyTypes[0]: Unsupported value: "x": supported values: "Ingress", "Egress"',
    ],
  ])("with %s", async (_title, spec, text) => {
    expect(
      problems(
        await send("POST", "/namespaces/default/networkpolicies", {
          metadata: { generateName: "n" },
          spec: { podSelector: {}, ...spec },
        }),
      ),
    ).toEqual(recorded(text));
  });
});
