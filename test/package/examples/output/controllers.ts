import type { Output } from "./output.js";

/** Expected output of the examples in `examples/controllers`. */
export const controllers: Readonly<Record<string, Output>> = {
  "controller.ts": ["replicas: 3 owner: ConfigMap", "errors: 0 failed events: 0"],
  "events.ts": ["Warning BackupFailed the bucket is full 3", "Normal BackupSkipped - 1", "4 recorded, 0 failed"],
  "finalizers.ts": ["still there: true being deleted: true", "cleaning up outside the cluster", "left: undefined"],
  "leader-election.ts": [
    "first leads, lease held by first term 0",
    "first released the lease",
    "second leads, lease held by second term 1",
    "second released the lease",
    "transitions: 1",
  ],
  "operations-server.ts": [
    "/readyz 500 [+]controller pods ok",
    "/readyz 200 ok",
    "/readyz?verbose 200 [+]controller pods ok",
    "/readyz/manager 200 ok",
    "/metrics 200 # HELP controller_runtime_reconcile_total Reconciles by controller and result",
    "/debug/profile?seconds=0.1 200",
    "closed",
  ],
  "optional-kinds.ts": [
    "the kind is served",
    "reconciled blue",
    "the kind is gone",
    "reconciled red",
    'configmaps in "default", the definition gadgets.optional.example.com',
  ],
  "owner-references.ts": ["controller: ConfigMap owner true", "collected: true"],
  "prometheus-metrics.ts": [
    'controller_runtime_reconcile_total{controller="pods",result="aborted"} 0',
    'controller_runtime_reconcile_total{controller="pods",result="error"} 0',
    'controller_runtime_reconcile_total{controller="pods",result="requeue"} 0',
    'controller_runtime_reconcile_total{controller="pods",result="requeue_after"} 0',
    /^controller_runtime_reconcile_total{controller="pods",result="success"} \d+$/,
    /^controller_runtime_reconcile_time_seconds_count{controller="pods"} \d+$/,
    /^workqueue_adds_total{controller="pods",name="pods"} \d+$/,
    /^kubestream_informer_objects{collection="pods in \\"web\\""} \d+$/,
    /^rest_client_requests_total{code="200",host="127.0.0.1:\d+",method="GET"} \d+$/,
    /^pods_seen \d+$/,
  ],
  "structured-logs.ts": [
    'info started with concurrency 1 {"controller":"reader"}',
    'info checked {"controller":"reader","colour":"blue"}',
    'debug reconcile: success {"controller":"reader"}',
    'info stopped {"controller":"reader"}',
  ],
  "trace-reconciles.ts": [
    "patch configmaps in reconcile painter",
    'reconcile painter caused by updated configmaps in "default"',
  ],
};
