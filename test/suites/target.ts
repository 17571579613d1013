import type { Client } from "../../src/client/client.js";
import { Namespace } from "../../src/kinds/core/v1.js";
import { connect } from "../../src/node/connection/connect.js";

/** The API server that the suites run against: the embedded one, or a real kube-apiserver. */
export interface Target {
  /** Path of a kubeconfig whose current context is an administrator's. */
  kubeconfig(): string;
  /** Minor version of Kubernetes that the server has, such as 36. */
  readonly minor: number;
  /** Makes the server discard its history up to now. */
  compact(): Promise<void>;
}

/** Returns true if the server streams lists unless it is configured otherwise. */
export const streamsLists = ({ minor }: Pick<Target, "minor">): boolean => minor >= 34;

let made = 0;

/** Runs `body` with a client and a new namespace, and cleans up both. */
export async function withNamespace(
  target: Target,
  body: (client: Client, namespace: string) => Promise<void>,
): Promise<void> {
  const client = await connect({ kubeconfig: target.kubeconfig() });
  const namespace = `suite-${process.pid.toString(36)}-${(made++).toString(36)}-${Date.now().toString(36)}`;
  try {
    await client.resource(Namespace).create({ metadata: { name: namespace } });
    await body(client, namespace);
    await client.resource(Namespace).delete(namespace);
  } finally {
    await client.close();
  }
}

/** Runs `task` for 0 … count - 1 with bounded concurrency. */
export async function forEachOf(
  count: number,
  task: (index: number) => Promise<unknown>,
  parallel = 16,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}
