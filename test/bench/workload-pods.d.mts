/** Pods of one workload. */
export const podsPerWorkload: number;

/** Returns a pod of a realistic cluster, the same for the same number. */
export function workloadPod(i: number): object;
