import type { ControllerToggles } from "../../apiserver/controllers/controllers.js";
import { createApiServer } from "../../apiserver/server.js";
import { UsageError } from "../program/command.js";
import { parseOptions } from "../program/parse-options.js";
import { ancestors } from "../program/program-end.js";
import { createControl } from "../server/control.js";
import { kubeFlags, kubeHelp } from "../server/kube-flags.js";
import { serve, serveFlags, serveHelp } from "../server/serve.js";

const help = `Usage: kubestream apiserver [OPTIONS]

Runs a Kubernetes API server in memory, for tests and experiments. It listens until SIGINT, SIGTERM or SIGHUP, or until
the npx or npm that runs it ends. When it is ready, it prints one line of JSON: {"url": "http://127.0.0.1:PORT", "kubeconfig": "FILE"}.

Options:
${serveHelp}
  --controllers LIST             controllers to run, comma-separated: NAME enables, -NAME disables, * enables all
                                 (default: *, or none with --control). Names: namespace-controller,
                                 garbage-collector-controller, serviceaccount-controller,
                                 root-ca-certificate-publisher-controller
  --control                      add an endpoint for tests that can compact the history; its URL, which contains a
                                 secret token, is printed as "control"
  -h, --help                     show this help

Flags of kube-apiserver:
${kubeHelp}

Example:
  kubestream apiserver --port 8080 --kubeconfig ./kubeconfig --load manifests/`;

const options = {
  ...serveFlags,
  controllers: { type: "string" },
  control: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Runs the subcommand until a signal ends it. */
export async function run(words: readonly string[]): Promise<number> {
  const parents = ancestors();
  const { values } = parseOptions({
    args: [...words],
    // Only `kubeOptions` reads the flags of kube-apiserver.
    options: { ...kubeFlags, ...options },
  });
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const { control = false, controllers = control ? "" : "*" } = values;
  const toggles = chooseControllers(controllers);
  return serve(values, parents, (settings) => {
    const server = createApiServer({ ...settings, controllers: toggles });
    return { server, control: control ? createControl(server) : undefined, close: () => server.close() };
  });
}

const toggleNames: Readonly<Record<string, keyof ControllerToggles>> = {
  "namespace-controller": "namespaceLifecycle",
  "garbage-collector-controller": "garbageCollection",
  "serviceaccount-controller": "defaultServiceAccount",
  "root-ca-certificate-publisher-controller": "rootCaConfigMap",
  "validatingadmissionpolicy-status-controller": "validatingAdmissionPolicyStatus",
};

/**
 * Parses `--controllers` like kube-controller-manager does: `*` enables all, `name` enables one, `-name` disables one.
 */
function chooseControllers(text: string): ControllerToggles {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  for (const word of words) {
    if (word !== "*" && !Object.hasOwn(toggleNames, word.replace(/^-/, "")))
      throw new UsageError(
        `--controllers: unknown controller ${word}; expected one of ${Object.keys(toggleNames).join(", ")}`,
      );
  }
  const chosen = Object.entries(toggleNames).map(([name, option]) => [
    option,
    words.includes(name) || (words.includes("*") && !words.includes(`-${name}`)),
  ]);
  return Object.fromEntries(chosen) as ControllerToggles;
}
