import type { Command } from "./command.js";

/** All subcommands by name, in the order of the overview. */
export const commands: Readonly<Record<string, Command>> = {
  demo: { summary: "shows pods live, of an embedded server or of a cluster", load: () => import("./demo.js") },
  types: {
    summary: "writes TypeScript types of custom kinds, from files or a cluster",
    load: () => import("./types.js"),
  },
  apiserver: { summary: "runs a Kubernetes API server on this machine", load: () => import("./apiserver.js") },
};
