import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createApiServer } from "../../../../../src/apiserver/server.js";
import { run } from "../../../../../src/cli/commands/rbac.js";
import { createClient } from "../../../../../src/client/client.js";
import { Deployment } from "../../../../../src/kinds/apps/v1.js";
import { ConfigMap } from "../../../../../src/kinds/core/v1.js";
import { parseManifests } from "../../../../../src/manifests/parse-manifests.js";
import { handlerTransport } from "../../../../../src/transport/handler.js";

/**
 * Audit log of kube-apiserver 1.36.3 at level Metadata, with all stages: `admin` and then `alice`, who
 * has no rights, list Deployments, apply and get a ConfigMap, watch pods, and get /metrics and /version.
 */
const recorded = fileURLToPath(new URL("kube-apiserver-audit.jsonl", import.meta.url));
const own = [
  { apiGroups: [""], resources: ["pods"], verbs: ["watch"] },
  { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] },
  { nonResourceURLs: ["/metrics"], verbs: ["get"] },
];
const maps = (verbs: string[], more: object = {}): object => ({
  apiGroups: [""],
  resources: ["configmaps"],
  verbs,
  ...more,
});

let folder: string;
let out: string;
let notes: string[];
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "rbac-"))));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  out = "";
  notes = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    out += String(text);
    return true;
  });
  vi.spyOn(console, "error").mockImplementation((line) => void notes.push(String(line)));
});
afterEach(() => vi.restoreAllMocks());

function fileOf(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly object[];
}

/** Runs the command with --json and returns a line for each object, with its rules. */
async function rolesOf(...words: string[]): Promise<unknown[]> {
  expect(await run([...words, "--json"])).toBe(0);
  return (JSON.parse(out) as Printed[]).map(({ kind, metadata: { name, namespace = "" }, rules }) =>
    [`${kind} ${namespace}/${name}`, rules].filter((each) => each !== undefined),
  );
}

describe("kubestream rbac", () => {
  it("prints the roles of one of the users in a log of kube-apiserver", async () => {
    expect(await rolesOf(recorded, "--user", "admin")).toEqual([
      ["ClusterRole /admin", own],
      ["Role default/admin", [maps(["get", "create", "patch"])]],
    ]);
    expect(notes).toEqual(["6 requests of admin"]);
  });

  it("prints the roles for forbidden requests, and says that others may follow them", async () => {
    expect(await rolesOf(recorded, "--user", "alice", "--name", "reader")).toEqual([
      ["ClusterRole /reader", own],
      ["Role default/reader", [maps(["get", "patch"])]],
    ]);
    expect(notes).toEqual([expect.stringContaining("note: Requests that were forbidden: 5."), "6 requests of alice"]);
  });

  it("prints bindings, one ClusterRole and names of objects on request", async () => {
    const words = ["--user=admin", "--service-account=shop/operator", "--scope=cluster", "--resource-names=configmaps"];
    const named = maps(["get", "patch"], { resourceNames: ["settings-admin"] });
    expect(await rolesOf(recorded, ...words)).toEqual([
      ["ClusterRole /operator", expect.arrayContaining([...own, named, maps(["create"])])],
      ["ClusterRoleBinding /operator"],
    ]);
  });

  it("prints YAML for the only user of a log of the embedded server, and names the roles after it", async () => {
    const lines: string[] = [];
    const policy = { rules: [{ level: "RequestResponse" }] } as const;
    const server = createApiServer({
      controllers: false,
      audit: { policy, sink: (event) => void lines.push(`${JSON.stringify(event)}\r\n`) },
    });
    const client = createClient({ transport: handlerTransport(server.handle), fieldManager: "t" });
    await client.resource(Deployment).list();
    await client
      .resource(ConfigMap)
      .namespace("default")
      .create({ metadata: { name: "a" } });
    await client.close();
    await server.close();
    const half = Math.floor(lines.length / 2);
    const files = [lines.slice(0, half), lines.slice(half)].map((each, at) =>
      fileOf(`${at}.log`, `${each.join("")}\n`),
    );
    expect(await run(files)).toBe(0);
    const printed = await parseManifests(out);
    expect(printed.map(({ kind, metadata }) => `${kind} ${metadata?.name}`)).toEqual([
      expect.stringMatching(/^ClusterRole [a-z-]+$/),
      expect.stringMatching(/^Role [a-z-]+$/),
    ]);
    expect(printed[0]?.metadata?.name).not.toBe("program");
    expect(notes.at(-1)).toMatch(/^2 requests of /);
  });

  const event = (more: object): string =>
    JSON.stringify({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      auditID: "1",
      requestURI: "/",
      verb: "get",
      ...more,
    });
  it.each<[words: string, text: string, message: string]>([
    ["/absent.log", "", "/absent.log: ENOENT"],
    ["@", "", "@: EISDIR"],
    ["@bad.log", `${event({})}\n\n{"kind":"Event"`, "@bad.log:3: the line is not a JSON object"],
    ["@bad.log", "null", "@bad.log:1: expected an Event of audit.k8s.io/v1"],
    ["@bad.log", '{"kind":"Event","apiVersion":"v1"}', "@bad.log:1: expected an Event of audit.k8s.io/v1"],
    ["@bad.log", '{"kind":"EventList","apiVersion":"audit.k8s.io/v1"}', "@bad.log:1: expected an Event of"],
    ["@bad.log", event({ requestURI: 1 }), "@bad.log:1: requestURI must be a string"],
    ["@bad.log", event({ impersonatedUser: null }), "@bad.log:1: impersonatedUser must be an object"],
    ["@bad.log", event({ objectRef: "pods" }), "@bad.log:1: objectRef must be an object"],
    ["@bad.log", "", "the audit has no requests"],
    ["@bad.log --user=b", event({ user: { username: "a" } }), 'the audit has no request of user "b"; it has: a'],
    [recorded, "", "the audit has requests of several users, so --user is required: admin, alice"],
    ["", "", "rbac needs an audit log"],
    ["@bad.log --scope=all", "", "--scope must be namespaced or cluster, not all"],
    ["@bad.log --service-account=operator", "", "--service-account must be NAMESPACE/NAME, not operator"],
    ["@bad.log --users=a", "", "unknown option --users; did you mean --user?"],
  ])("refuses %s with the log %j and says where", async (words, text, message) => {
    const path = (words: string): string => words.replace("@", `${folder}/`);
    fileOf("bad.log", text);
    const failed = await run(path(words).split(" ").filter(Boolean)).then(
      () => new Error("no error"),
      (error: unknown) => error as Error,
    );
    expect(failed.message.slice(0, path(message).length)).toBe(path(message));
    expect(failed.name).toBe("UsageError");
  });
});
