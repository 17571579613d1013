import { createCluster } from "../cluster/create-cluster.js";
import { UsageError } from "./command.js";
import { parseOptions } from "./parse-options.js";
import { ancestors } from "./program-end.js";
import { serve, serveFlags, serveHelp } from "./serve.js";

const help = `Usage: kubestream cluster [OPTIONS]

Runs a Kubernetes cluster in memory, for tests and experiments: an API server, controllers, a scheduler, and nodes that
simulate the containers of their pods. It listens until SIGINT, SIGTERM or SIGHUP, or until the npx or npm that runs it
ends. When the nodes are ready, it prints one line of JSON: {"url": "http://127.0.0.1:PORT", "kubeconfig": "FILE"}.

Options:
  --nodes N                      number of nodes (default: 1)
${serveHelp}
  -h, --help                     show this help

Example:
  kubestream cluster --nodes 3 --port 8080 --kubeconfig ./kubeconfig`;

const options = {
  ...serveFlags,
  nodes: { type: "string", default: "1" },
  help: { type: "boolean", short: "h" },
} as const;

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
  return serve(values, parents, (server) => createCluster({ nodes: Number(values.nodes), server }));
}
