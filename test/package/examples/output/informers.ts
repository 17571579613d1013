import type { Output } from "./output.js";

/** Expected output of the examples in `examples/informers`. */
export const informers: Readonly<Record<string, Output>> = {
  "changes-in-a-loop.ts": ["added  0", "updated 0 to 1", "updated 1 to 2", "deleted, last value 2"],
  "consistent-reads.ts": ["stale reads: 0", "lists: 1", "after delete: undefined"],
  "event-watch.ts": ["settings Example disk is almost full", "settings Example disk is full"],
  "indexes.ts": ["by index: 3 [ 'unscheduled' ]", "by key: pod-1", "by selector: 2", "after the label changed: 2"],
  "informer-metrics.ts": [
    'kubestream_informer_size{collection="pods in \\"web\\""} 3',
    /_lag{.*} 0$/,
    /_lists{.*} 1$/,
    /_watches{/,
    /_streams{.*} 1$/,
    /_stalls{.*} 0$/,
    /_shortWatches{.*} 0$/,
    /_events{.*,type="ADDED"} 3$/,
    /type="MODIFIED"/,
    /type="DELETED"/,
    /type="BOOKMARK"} \d+$/,
    /_age_ms{/,
    /_synced{.*} 1$/,
  ],
  "join.ts": ["added web/web [ 'pod-0', 'pod-1', 'pod-2' ]", "updated web/web [ 'pod-0', 'pod-1', 'pod-2', 'pod-3' ]"],
  "list-watch.ts": [
    "pod-0",
    "pod-1",
    "pod-2",
    "added web/pod-0 Pending",
    "added web/pod-1 Pending",
    "added web/pod-2 Pending",
    "3 pods, Pending",
  ],
  "metadata-only.ts": ["web 3"],
  "persistent-cache.ts": [
    "first start: [ 'blue' ] lists: 1",
    "second start: [ 'blue' ] lists: 0",
    "after the watch: [ 'red' ] lists: 0",
  ],
  "rxjs-streams.ts": ["[ 'added default/page', 'deleted default/page' ]", "[ undefined, 'blue', 'red' ]", "watching"],
  "several-namespaces.ts": ["[ 'team-a team-a', 'team-b team-b' ]", "informers: 2"],
  "wait.ts": ["ready: Running", "address: 10.0.0.7", /timed out after 50 ms$/, "deleted"],
  "watch.ts": ["ADDED watched blue", "MODIFIED watched red", "DELETED watched red"],
};
