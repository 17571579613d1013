import type { Client } from "../../src/client/client.js";
import { Namespace } from "../../src/kinds/core/v1.js";
import { connect } from "../../src/node/connection/connect.js";

/** A server that the client suites run against: the embedded one, or a real kube-apiserver. */
export interface Target {
  /** Path of a kubeconfig whose current context is an administrator's. */
  kubeconfig(): string;
  /** Makes the server forget all history before the present. */
  compact(): Promise<void>;
}

let made = 0;

/** Runs `body` with a client and a namespace of its own; both are gone afterwards. */
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

/** Runs `task` for 0 … count - 1, a bounded number at a time. */
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
