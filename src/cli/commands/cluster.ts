import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { parseCertificates } from "../../apiserver/node/client-certificate.js";
import { createKubeletListener } from "../../apiserver/node/kubelet-listener.js";
import { createAuthority } from "../../certificates/authority.js";
import { createCluster } from "../../cluster/create-cluster.js";
import { type JoinOptions, joinCluster } from "../../cluster/join-cluster.js";
import { readStages } from "../../cluster/stages/read-stages.js";
import { createConsoleLog } from "../../controller/reconcile/controller-log.js";
import { connect } from "../../node/connection/connect.js";
import { findCluster } from "../../node/kubeconfig/cluster-source.js";
import { readPem } from "../../node/kubeconfig/tls-material.js";
import { UsageError } from "../program/command.js";
import { parseOptions } from "../program/parse-options.js";
import { ancestors, programEnd } from "../program/program-end.js";
import { readFlagFile } from "../server/kube-flags.js";
import { isOwnKubeconfig, serve, serveFlags, serveHelp } from "../server/serve.js";
import { type ClusterWatch, watchCluster } from "../watch/watch-cluster.js";

const help = `Usage: kubestream cluster [OPTIONS]

Runs a Kubernetes cluster in memory, for tests and experiments: an API server, controllers, a scheduler, and nodes that
simulate the containers of their pods. It listens until SIGINT, SIGTERM or SIGHUP, or until the npx or npm that runs it
ends. When the nodes are ready, it prints one line of JSON: {"url": "http://127.0.0.1:PORT", "kubeconfig": "FILE"}.

If the FILE of --kubeconfig exists and kubestream didn't write it, the controllers, the scheduler and the nodes join the
API server of its current context instead: a kube-apiserver that runs without kube-controller-manager and kube-scheduler.
Only --nodes, --stages, --watch, --end-with-parent, --node-ip and the --kubelet flags apply then.

Options:
  --nodes N                      number of nodes (default: 1)
  --stages FILE                  declared stages: YAML of kwok's Stage, which pods and other objects go through; can be
                                 repeated
  --watch                        show nodes, workloads, pods and events, redrawn in place on a terminal; elsewhere, print a
                                 line for each event
  --join                         join the API server of --kubeconfig, whichever program wrote the file
  --node-ip ADDRESS              with --join: IP address of this machine at which that API server reaches the kubelets, for
                                 logs, exec, ports and metrics (default: 127.0.0.1). Every program that can connect to
                                 it can run commands in the simulated containers, without one of the next two flags
  --kubelet-client-ca-file FILE  with --join: certificate authority of the clients that kubelets accept, in PEM: that of
                                 the API server's --kubelet-client-certificate
  --kubelet-webhook              with --join: let that API server authenticate the bearer tokens of the kubelets' clients
                                 and decide whether they may access a node
${serveHelp}
  -h, --help                     show this help

Example:
  kubestream cluster --nodes 3 --port 8080 --kubeconfig ./kubeconfig`;

const options = {
  ...serveFlags,
  nodes: { type: "string", default: "1" },
  stages: { type: "string", multiple: true, default: [] as string[] },
  watch: { type: "boolean", default: false },
  join: { type: "boolean", default: false },
  "node-ip": { type: "string" },
  "kubelet-client-ca-file": { type: "string" },
  "kubelet-webhook": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Flags of the kubelets' port, which only API servers of other processes connect to. */
const kubeletFlags = ["node-ip", "kubelet-client-ca-file", "kubelet-webhook"] as const;
/** Flags that apply to an API server that the command joins. */
const joinFlags = new Set(["kubeconfig", "nodes", "stages", "watch", "join", "end-with-parent", ...kubeletFlags]);

/** Lifetime of the authority that signs CertificateSigningRequests. */
const authorityMs = 10 * 365 * 86_400_000;

/** Runs the subcommand until a signal ends it. */
export async function run(words: readonly string[]): Promise<number> {
  const parents = ancestors();
  const { values } = parseOptions({ args: [...words], options });
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  if (!/^\d{1,5}$/.test(values.nodes))
    throw new UsageError(`--nodes ${values.nodes}: must be an integer from 0 to 99999`);
  const nodes = Number(values.nodes);
  const { kubeconfig } = values;
  const stages = values.stages.map(readStagesFile).join("\n---\n");
  const nodeIp = values["node-ip"];
  if (nodeIp !== undefined && isIP(nodeIp) === 0) throw new UsageError(`--node-ip ${nodeIp}: must be an IP address`);
  if (values.join && kubeconfig === undefined) throw new UsageError("--join: --kubeconfig is required");
  if (kubeconfig !== undefined && (values.join || isForeign(kubeconfig))) {
    const { tokens } = parseOptions({ args: [...words], options, tokens: true });
    const other = tokens.find((token) => token.kind === "option" && !joinFlags.has(token.name));
    if (other?.kind === "option")
      throw new UsageError(
        `${other.rawName}: has no effect on the API server of --kubeconfig ${kubeconfig}, which exists`,
      );
    const kubelets = createKubeletListener({
      host: nodeIp,
      clientCa: readFlagFile("kubelet-client-ca-file", values["kubelet-client-ca-file"]),
      webhook: values["kubelet-webhook"],
    });
    return join(
      kubeconfig,
      { nodes, stages, kubelets, watch: values.watch },
      programEnd(parents, values["end-with-parent"]),
    );
  }
  const useless = kubeletFlags.find((name) => values[name] !== undefined);
  if (useless !== undefined)
    throw new UsageError(`--${useless}: has an effect only on the API server of an existing --kubeconfig`);
  return serve(values, parents, async (server) => {
    // Clients of the port may use the certificates that the cluster signs.
    const { ca, key } = createAuthority({ nowMs: Date.now(), lifetimeMs: authorityMs }, "kubestream-cluster-ca");
    if (server.clientCa !== undefined) parseCertificates(server.clientCa, "clientCa");
    const clientCa = [server.clientCa ?? "", ca].join("\n");
    const cluster = await createCluster({ nodes, stages, signer: { cert: ca, key }, server: { ...server, clientCa } });
    let view: ClusterWatch | undefined;
    return {
      server: cluster.server,
      onServing({ url }) {
        if (values.watch) view = watchCluster(cluster.client, process.stdout, url);
      },
      async close() {
        await view?.close();
        await cluster.close();
      },
    };
  });
}

/** Returns the text of a file with stages. Throws a `UsageError` that names the file if it's invalid. */
function readStagesFile(file: string): string {
  try {
    const text = readFileSync(file, "utf8");
    readStages(text);
    return text;
  } catch (error) {
    throw new UsageError(`--stages ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Returns true for an existing kubeconfig that another program wrote. */
function isForeign(kubeconfig: string): boolean {
  return existsSync(kubeconfig) && !isOwnKubeconfig(readFileSync(kubeconfig, "utf8"));
}

/** Runs the parts of a cluster on the API server of a kubeconfig until `end` resolves. */
async function join(
  kubeconfig: string,
  { watch, ...parts }: Pick<JoinOptions, "nodes" | "stages" | "kubelets"> & { readonly watch: boolean },
  end: Promise<void>,
): Promise<number> {
  const { ca } = await findCluster({ kubeconfig }, process.env);
  const rootCa = ca === undefined ? "" : new TextDecoder().decode(await readPem(ca));
  // The garbage collector watches all kinds, deprecated ones too.
  const onWarning = (): void => undefined;
  const client = await connect({ kubeconfig, userAgent: "kubestream-cluster", onWarning });
  try {
    const cluster = await joinCluster(client, { ...parts, rootCa, log: createConsoleLog({ level: "error" }) });
    console.log(JSON.stringify({ url: client.server, kubeconfig }));
    const view = watch ? watchCluster(client, process.stdout, client.server) : undefined;
    await end;
    await view?.close();
    await cluster.close();
  } finally {
    await client.close();
  }
  return 0;
}
