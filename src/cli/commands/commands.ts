import type { Command } from "../program/command.js";

/** All subcommands, in the order of the overview. */
export const commands: Readonly<Record<string, Command>> = {
  demo: { summary: "show the pods of a cluster, or of an embedded server, live", load: () => import("./demo.js") },
  types: {
    summary: "generate TypeScript types for custom resources, from files or a cluster",
    load: () => import("./types.js"),
  },
  flowcontrol: {
    summary: "simulate API Priority and Fairness for a workload",
    load: () => import("./flowcontrol.js"),
  },
  rbac: {
    summary: "print the least roles for a program, from the audit of a test run",
    load: () => import("./rbac.js"),
  },
  proxy: {
    summary: "serve clusters to pages on this machine, with your credentials",
    load: () => import("./proxy.js"),
  },
  apiserver: { summary: "run a Kubernetes API server in memory, for tests", load: () => import("./apiserver.js") },
  envtest: {
    summary: "write the kube-apiserver and etcd that Go's envtest starts",
    load: () => import("./envtest.js"),
  },
  etcd: { summary: "stand in for etcd in envtest, without storing anything", load: () => import("./etcd.js") },
  cluster: {
    summary: "run a Kubernetes cluster with simulated nodes in memory, for tests",
    load: () => import("./cluster.js"),
  },
};
