import { listen } from "../../apiserver/node/listen.js";
import { createApiServer } from "../../apiserver/server.js";
import type { Client } from "../../client/client.js";
import { createClient } from "../../client/client.js";
import { sleep, systemClock } from "../../internal/clock.js";
import { connect } from "../../node/connection/connect.js";
import { createUndiciTransport } from "../../node/transport/undici-transport.js";
import { handlerTransport } from "../../transport/handler.js";
import { createDroppingProxy } from "./dropping-proxy.js";
import { createWorkload } from "./workload.js";

/** Cluster that the demo watches. */
export interface Source {
  /** Name for the head of the table. */
  readonly label: string;
  /** Client for the cluster. */
  readonly client: Client;
  /** Stops everything that was started for it. */
  close(): Promise<void>;
}

/** Options for `openEmbedded`. */
export interface EmbeddedOptions {
  /** Number of pods to keep. */
  readonly pods: number;
  /** Changes per second. */
  readonly rate: number;
  /** Called while the pods are created. */
  readonly onProgress: (made: number) => void;
  /** Called when the workload fails and the demo can't continue. */
  readonly onFailure: (error: unknown) => void;
  /** Aborts the preparation. */
  readonly signal: AbortSignal;
}

/** Interval between two connection cuts. */
const dropEveryMs = 4_000;
/** Every third cut is followed by an outage, after which the server has compacted its history. */
const cutsPerOutage = 3;
const outageMs = 1_200;

/** Opens a cluster from a kubeconfig. */
export async function openCluster(choice: {
  readonly kubeconfig?: string;
  readonly context?: string;
}): Promise<Source> {
  const client = await connect(choice);
  return {
    label: choice.context === undefined ? "the current context" : `context ${choice.context}`,
    client,
    close: () => client.close(),
  };
}

/**
 * Starts an API server in this process, with a workload, behind real sockets. All connections are cut every few
 * seconds, and during every third cut the server compacts its history.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Source> {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, options.signal]);
  const server = createApiServer({
    retention: { historyMs: 20_000, windowEvents: Math.max(20, Math.ceil(options.rate)) },
  });
  const writer = createClient({ transport: handlerTransport(server.handle) });
  const workload = createWorkload(writer, { ...options, signal, clock: systemClock });
  const listener = await listen(server, { port: 0 });
  const proxy = await createDroppingProxy("127.0.0.1", Number(new URL(listener.url).port));
  const client = createClient({
    transport: createUndiciTransport({ server: `http://127.0.0.1:${String(proxy.port)}` }),
  });
  const loops: Promise<void>[] = [];
  const start = (loop: () => Promise<void>): void => {
    loops.push(
      loop().catch((error: unknown) => {
        if (!signal.aborted) options.onFailure(error);
      }),
    );
  };
  const close = async (): Promise<void> => {
    controller.abort();
    await Promise.all(loops);
    await client.close();
    await writer.close();
    await proxy.close();
    await listener.close();
    await server.close();
  };
  try {
    await workload.prepare();
  } catch (error) {
    await close();
    throw error;
  }
  start(() => workload.run());
  start(async () => {
    for (let cuts = 1; !signal.aborted; cuts++) {
      await sleep(dropEveryMs, systemClock, signal);
      const outage = cuts % cutsPerOutage === 0;
      proxy.refuse(outage);
      proxy.drop();
      if (!outage) continue;
      await sleep(outageMs, systemClock, signal);
      server.compact();
      proxy.refuse(false);
    }
  });
  return { label: "the embedded server", client, close };
}
