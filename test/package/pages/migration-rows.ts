import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pack.js";

/** Pages with tables whose right column has our calls: those of another client next to them, or tasks. */
export const migrationPages: readonly string[] = [
  ...["client-node", "client-go", "fluent-client", "kube-rs"].map((name) => `docs/guides/migration/from-${name}.md`),
  "docs/guides/dashboard-needs.md",
];

/** Code in the right column of a page's tables. */
export function rowsOf(page: string): string[] {
  return readFileSync(join(root, page), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .flatMap((row) => [
      ...row
        .split(" | ")
        .slice(1)
        .join(" | ")
        .matchAll(/``(.+?)``|`([^`]+)`/g),
    ])
    .map(([, double, single]) => (double ?? single ?? "").trim());
}

/** Names that each subpath exports as values. */
export function exportedNames(): Map<string, string> {
  const names = new Map<string, string>();
  for (const entry of readdirSync(join(root, "src"), { withFileTypes: true })) {
    const file = join(root, "src", entry.isDirectory() ? `${entry.name}/index.ts` : entry.name);
    if (!file.endsWith("index.ts") || !existsSync(file)) continue;
    const path = entry.isDirectory() ? `kubestream/${entry.name}` : "kubestream";
    for (const [, list = ""] of readFileSync(file, "utf8").matchAll(/export \{([^}]*)\}/g))
      for (const name of list.split(",").map((each) => each.trim())) if (name !== "") names.set(name, path);
  }
  return names;
}

/** Variables that rows use, with their types. */
const variables = `
import { type Client, defineKind as defineAKind, type KubernetesObject, type RetryOptions, type Transport } from "kubestream";
import { createInformer as createAnInformer } from "kubestream/cache";
import type { Controller, ControllerOptions, EventRecorder, Manager, Source, StructuredLogger } from "kubestream/controller";
import { createDiscovery as createADiscovery } from "kubestream/discovery";
import type { measureRequests as measure, Tracer } from "kubestream/interceptors";
import { CertificateSigningRequest } from "kubestream/kinds/certificates/v1";
import { CustomResourceDefinition } from "kubestream/kinds/apiextensions/v1";
import { Deployment, ReplicaSet } from "kubestream/kinds/apps/v1";
import { Event, Node, Pod, ServiceAccount } from "kubestream/kinds/core/v1";
import { createMux as createAMux } from "kubestream/mux";
import type { AuditedRequest } from "kubestream/operations";
import type { ServeWebhooksOptions } from "kubestream/node";
import { createLiveStores as createTheStores } from "kubestream/stores";

declare const client: Client<string>, transport: Transport;
const mux = createAMux({ transport });
const stores = createTheStores(client);
const CronTab = defineAKind<{ schedule: string }>()({ group: "example.com", version: "v1", kind: "CronTab", plural: "crontabs", scope: "Namespaced" });
const discovery = createADiscovery(client);
const handle = client.resource(Deployment).namespace("web");
const deployments = handle;
const pods = client.resource(Pod).namespace("web");
const definitions = client.resource(CustomResourceDefinition);
const accounts = client.resource(ServiceAccount).namespace("web");
const requests = client.resource(CertificateSigningRequest);
const informer = createAnInformer(handle);
const registration = informer.addHandler(() => undefined);
declare const controller: Controller;
declare const recorder: EventRecorder, tracer: Tracer, logger: StructuredLogger;
declare const server: string, token: string, tokenFile: string, ca: string, cert: string, key: string, tlsServerName: string;
declare const kubeconfigText: string, kubeconfig: string, context: string, cluster: string, user: string, namespace: string;
declare const path: string, name: string, ns: string, text: string, first: string, second: string, node: string, finalizer: string;
declare const from: string, to: string, fieldManager: string, labelSelector: string, manager: Manager;
declare const apiVersion: string, kind: string;
declare const insecureSkipTlsVerify: boolean, force: boolean, ignoreDaemonSets: boolean, deleteEmptyDirData: boolean;
declare const limit: number, qps: number, burst: number, replicas: number, timeoutMs: number, requeueAfterMs: number, port: number;
declare const record: Parameters<typeof measure>[0], onRetry: NonNullable<RetryOptions["onRetry"]>, signal: AbortSignal;
declare const options: never, command: string[], allowedPlugins: string[], propagationPolicy: "Orphan", error: unknown;
type Named = { apiVersion: "apps/v1"; kind: "Deployment"; metadata: { name: string; uid: string } };
declare const object: Named, configuration: Named, body: Deployment, patch: { spec: { paused: boolean } };
declare const objects: KubernetesObject[], operations: { op: "remove"; path: string }[], pod: { namespace: string; name: string };
declare const container: { name: string; image: string }, resources: { main: { limits: { cpu: string } } }, result: Deployment;
declare const change: (object: Deployment) => void, fn: () => Promise<Deployment>;
declare const owns: NonNullable<ControllerOptions<Deployment>["owns"]>, watches: Source[], reconcile: () => void;
declare const handlers: ServeWebhooksOptions["handlers"], certificate: ServeWebhooksOptions["certificate"];
declare const events: AuditedRequest[];
declare const map: () => [], work: () => Promise<void>;
type Spec = { a: string };
type Status = { b: string };
`;

/** Methods that a row names without their object, and that object. */
const receivers: Readonly<Record<string, string>> = {
  catalog: "discovery",
  find: "discovery",
  run: "controller",
  close: "informer",
  remove: "registration",
  ...Object.fromEntries(
    "list pages items get getOptional create update patch apply delete deleteCollection subresource watch metadataOnly"
      .split(" ")
      .map((method) => [method, "handle"]),
  ),
};

/** Turns the code of a row into a statement. Returns `undefined` for words and for code that leaves something out. */
export function statementOf(code: string): string | undefined {
  const full = code
    .replace(/^\.namespace/, "client.resource(Deployment).namespace")
    .replace(/^…?\./, "handle.")
    .replace("=> { … }", "=> {}")
    .replace("=> …", "=> undefined");
  if (!/[({]/.test(full) || full.includes("…")) return undefined;
  const [, method = ""] = /^(\w+)\(/.exec(full) ?? [];
  const called = Object.hasOwn(receivers, method) ? `${receivers[method]}.${full}` : full;
  if (/^(for await|throw|const) /.test(called)) return `${called};`;
  if (/^\w+: /.test(called)) return `void { ${called} };`;
  return called.startsWith("{") ? `void ${called};` : `void (${called});`;
}

/** A module with the code of every row, which must compile. */
export function moduleOfRows(): string {
  const exported = exportedNames();
  const statements = migrationPages.flatMap((page) =>
    rowsOf(page).flatMap((code) => {
      const statement = statementOf(code);
      return statement === undefined
        ? []
        : [`// ${page}: ${code}\nexport async function row(): Promise<void> { ${statement} }`];
    }),
  );
  const text = statements.map((each, index) => each.replace("function row()", `function row${index}()`)).join("\n");
  const imports = [...exported]
    .filter(([name]) => new RegExp(`(?<![.\\w])${name}\\b`).test(text.replace(/^\/\/.*$/gm, "")))
    .map(([name, path]) => `import { ${name} } from ${JSON.stringify(path)};`);
  return `${imports.join("\n")}\n${variables}\n${text}\n`;
}
