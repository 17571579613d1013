/** Pods of one workload. */
export const podsPerWorkload: number;

/** Returns a pod of a realistic cluster, the same for the same number. */
export function workloadPod(i: number): object;

/** Returns a custom resource of 1 kB of JSON, the same for the same number. */
export function workloadCertificate(i: number): object;

/** Returns a ConfigMap of 200 kB of JSON, the same for the same number. */
export function longConfigMap(i: number): object;
