// Runs the suites of cluster-api that use envtest, unmodified, against the built package: all of them, or those on the
// command line, such as `core/reconcilers/machine`.
import { reportTests, runSuites, suiteLimit } from "../envtest-suite.js";

await runSuites({
  name: "cluster-api",
  module: "sigs.k8s.io/cluster-api",
  nested: { api: "sigs.k8s.io/cluster-api/api" },
  suites: {
    "bootstrap/kubeadm/reconcilers/kubeadmconfig": 102,
    "controllers/clustercache": 42,
    "controllers/crdmigrator": 10,
    "controlplane/kubeadm/pkg": 291,
    "controlplane/kubeadm/reconcilers/kubeadmcontrolplane": 364,
    "core/reconcilers/cluster": 214,
    "core/reconcilers/clusterclass": 19,
    "core/reconcilers/clusterresourceset": 31,
    "core/reconcilers/extensionconfig": 27,
    "core/reconcilers/machine": 306,
    "core/reconcilers/machinedeployment": 2566,
    "core/reconcilers/machinehealthcheck": 78,
    "core/reconcilers/machinepool": 97,
    "core/reconcilers/machineset": 240,
    "core/reconcilers/topology/cluster": 272,
    "core/reconcilers/topology/cluster/structuredmerge": 42,
    "core/webhooks/admission/test": 44,
    "internal/topology/upgrade": 1,
    "internal/util/ssa/test": 25,
    "util/controller": 19,
    "util/deprecated/v1beta1/patch": 73,
    "util/patch/test": 62,
  },
  flags: () => ["-test.v", `-test.timeout=${suiteLimit}`],
  report: reportTests,
});
