import { listen } from "../../apiserver/node/listen.js";
import type { Client } from "../../client/client.js";
import { createClient } from "../../client/client.js";
import { createCluster } from "../../cluster/create-cluster.js";
import { sleep, systemClock } from "../../internal/clock.js";
import { connect } from "../../node/connection/connect.js";
import { createUndiciTransport } from "../../node/transport/undici-transport.js";
import { createDroppingProxy } from "./dropping-proxy.js";
import { createWorkload, images, nodeCount } from "./workload.js";

/** Cluster that the demo watches. */
export interface Source {
  /** Name for the head of the table. */
  readonly label: string;
  /** Client for the cluster. */
  readonly client: Client;
  /** Lines about the last operations on the cluster, oldest first. */
  readonly news: readonly string[];
  /** Stops everything that was started for it. */
  close(): Promise<void>;
}

/** Options for `openEmbedded`. */
export interface EmbeddedOptions {
  /** Number of pods, about. */
  readonly pods: number;
  /** Called while the pods start. */
  readonly onProgress: (ready: number) => void;
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
    news: [],
    close: () => client.close(),
  };
}

/**
 * Starts a cluster in this process, with workloads that change, behind real sockets. All connections are cut every few
 * seconds, and during every third cut the server compacts its history.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Source> {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, options.signal]);
  const cluster = await createCluster({
    nodes: nodeCount,
    images,
    server: { retention: { historyMs: 20_000, windowEvents: 20 } },
  });
  const { server } = cluster;
  const news: string[] = [];
  const onNews = (line: string): void => {
    news.push(line);
    if (news.length > 10) news.shift();
  };
  const workload = createWorkload(cluster, { ...options, onNews, signal, clock: systemClock });
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
    await proxy.close();
    await listener.close();
    await cluster.close();
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
      onNews(outage ? "the network fails, and the server compacts its history" : "the network drops all connections");
      if (!outage) continue;
      await sleep(outageMs, systemClock, signal);
      server.compact();
      proxy.refuse(false);
    }
  });
  return { label: "the embedded cluster", client, news, close };
}
