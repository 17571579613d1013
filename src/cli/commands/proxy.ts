import { systemClock } from "../../internal/clock.js";
import { openTransport } from "../../node/connection/open-transport.js";
import { listContexts } from "../../node/kubeconfig/list-contexts.js";
import { serveProxy } from "../../node/proxy/serve-proxy.js";
import { createProxy } from "../../proxy/create-proxy.js";
import type { ProxyCluster } from "../../proxy/proxy.js";
import { type ProxyRule, readRules } from "../../proxy/rules.js";
import { UsageError } from "../program/command.js";
import { parseOptions } from "../program/parse-options.js";
import { ancestors, programEnd } from "../program/program-end.js";
import { printError } from "../terminal/format.js";

const help = `Usage: kubestream proxy [OPTIONS]

Serves clusters of the kubeconfig to pages and programs on this machine, with your credentials, at /clusters/NAME/.
Requests of other sites and for other host names are refused. Without further options it only reads.
When it's ready, it prints one line of JSON: {"url": "http://127.0.0.1:PORT", "clusters": ["NAME"]}.

Options:
  --port N               port to listen on (default: 8001; 0 picks a free one)
  --bind-address ADDRESS address to listen on (default: 127.0.0.1)
  --kubeconfig FILE      use this kubeconfig
  --context NAME         serve this context; can be repeated (default: the current one)
  --all-contexts         serve all contexts
  --allow-writes         forward writes, too
  --allow-commands       forward exec, attach and port forwarding, too
  --allow-host NAME      accept requests for this host name; can be repeated
  --allow-origin ORIGIN  let pages of this origin use the proxy; can be repeated
  -h, --help             show this help

Example:
  kubestream proxy --context staging --context production --allow-origin http://localhost:5173`;

/** Runs the subcommand until a signal ends it. */
export async function run(words: readonly string[]): Promise<number> {
  const parents = ancestors();
  const { values } = parseOptions({
    args: [...words],
    options: {
      port: { type: "string", default: "8001" },
      "bind-address": { type: "string", default: "127.0.0.1" },
      kubeconfig: { type: "string" },
      context: { type: "string", multiple: true },
      "all-contexts": { type: "boolean", default: false },
      "allow-writes": { type: "boolean", default: false },
      "allow-commands": { type: "boolean", default: false },
      "allow-host": { type: "string", multiple: true, default: [] as string[] },
      "allow-origin": { type: "string", multiple: true, default: [] as string[] },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--port ${values.port}: must be an integer from 0 to 65535`);
  const clusters = await openClusters(values.kubeconfig, values.context, values["all-contexts"]);
  const proxy = createProxy({
    clusters,
    authenticate: "none",
    allow: [
      ...readRules,
      ...(values["allow-writes"] ? writeRules : []),
      ...(values["allow-commands"] ? commandRules : []),
    ],
    hosts: values["allow-host"],
    origins: values["allow-origin"],
    onError: printError,
    clock: systemClock,
  });
  const served = await serveProxy(proxy, { port, host: values["bind-address"] });
  // Handles signals before the line below says that the proxy is ready.
  const end = programEnd(parents);
  console.log(JSON.stringify({ url: served.url, clusters: Object.keys(clusters) }));
  await end;
  await served.close();
  await Promise.all(Object.values(clusters).map(({ transport }) => transport.close()));
  return 0;
}

const writeRules: readonly ProxyRule[] = [{ resources: ["*"] }];
const commandRules: readonly ProxyRule[] = [{ resources: ["pods/exec", "pods/attach", "pods/portforward"] }];

/** Opens the chosen contexts, by names that a path can hold: those of EKS have a slash. */
async function openClusters(
  kubeconfig: string | undefined,
  chosen: readonly string[] | undefined,
  all: boolean,
): Promise<Record<string, ProxyCluster>> {
  const contexts = await listContexts({ kubeconfig });
  const known = contexts.map(({ name }) => name);
  const current = contexts.filter((context) => context.current).map(({ name }) => name);
  const names = all ? known : [...new Set(chosen ?? current)];
  if (names.length === 0) throw new UsageError("the kubeconfig has no current context: name one with --context");
  for (const name of names)
    if (!known.includes(name))
      throw new UsageError(`--context ${name}: the kubeconfig has no such context; it has ${known.join(", ")}`);
  const contextOf = new Map<string, string>();
  for (const name of names) {
    const path = name.replace(/[^\w.:@-]+/g, "-");
    const other = contextOf.get(path);
    if (other !== undefined)
      throw new UsageError(`contexts ${other} and ${name} would both be served at /clusters/${path}/: rename one`);
    contextOf.set(path, name);
  }
  const opened: Record<string, ProxyCluster> = {};
  for (const [path, context] of contextOf)
    opened[path] = { transport: (await openTransport({ context, kubeconfig })).transport };
  return opened;
}
