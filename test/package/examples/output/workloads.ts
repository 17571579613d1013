import type { Output } from "./output.js";

/** Expected output of the examples in `examples/workloads`. */
export const workloads: Readonly<Record<string, Output>> = {
  "drain.ts": [
    /^not drained: bare has no controller/,
    "bare taken",
    "managed taken",
    /^(?:bare|managed) ending$/,
    /^(?:bare|managed) (?:ending|gone)$/,
    /^(?:bare|managed) (?:ending|gone)$/,
    /^(?:bare|managed) gone$/,
    "evicted: [ 'bare', 'managed' ]",
    "unschedulable: true",
    "unschedulable: false",
  ],
  "rollout.ts": ["[ 'web:1', 'web:1', 'web:1' ]", "[ 'web:2', 'web:2', 'web:2' ]", "[ 'web:1', 'web:1', 'web:1' ]"],
  "scale-and-restart.ts": [
    "replicas: 3",
    "image: web:2",
    "{ 'kubectl.kubernetes.io/restartedAt': '2030-01-01T00:00:00Z' }",
    "generation: 6",
  ],
  "top.ts": [
    "node-1 250m of 4000m 64Mi",
    "pod-0 250m requested 0m",
    "pod-1 no usage requested 0m",
    "pod-2 no usage requested 0m",
  ],
};
