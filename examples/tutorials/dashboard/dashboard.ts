// A live dashboard over HTTP: one informer per server, and a stream of summaries per browser.
import { createServer, type Server } from "node:http";
import type { Collection, DeepReadonly } from "kubestream";
import { createInformer, type Informer, stripManagedFields } from "kubestream/cache";
import type { Pod } from "kubestream/kinds/core/v1";
import { snapshots } from "kubestream/rx";
import { auditTime, map, type Observable, shareReplay } from "rxjs";

export interface Summary {
  readonly namespace: string;
  readonly phases: Readonly<Record<string, number>>;
}

export function summarize(pods: readonly DeepReadonly<Pod>[]): Summary[] {
  const rows = new Map<string, Record<string, number>>();
  for (const pod of pods) {
    const namespace = pod.metadata?.namespace ?? "";
    const phase = pod.status?.phase ?? "Unknown";
    const row = rows.get(namespace) ?? {};
    row[phase] = (row[phase] ?? 0) + 1;
    rows.set(namespace, row);
  }
  return [...rows]
    .map(([namespace, phases]) => ({ namespace, phases }))
    .sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
}

export interface Dashboard {
  readonly server: Server;
  readonly informer: Informer<Pod>;
  close(): Promise<void>;
}

export function createDashboard(pods: Collection<Pod>): Dashboard {
  const informer = createInformer(pods, { transform: stripManagedFields });
  // However fast the cluster changes, browsers get at most five summaries per second.
  const summaries: Observable<Summary[]> = snapshots(informer).pipe(
    auditTime(200),
    map(summarize),
    shareReplay({ bufferSize: 1, refCount: true }),
  );
  const server = createServer((request, response) => {
    if (request.url !== "/events") {
      response.writeHead(200, { "content-type": "text/html" }).end(page);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const subscription = summaries.subscribe((rows) => response.write(`data: ${JSON.stringify(rows)}\n\n`));
    response.once("close", () => subscription.unsubscribe());
  });
  return {
    server,
    informer,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await informer.close();
    },
  };
}

const page = `<!doctype html><title>Pods</title><table id="rows"></table><script>
new EventSource("/events").onmessage = ({ data }) => {
  document.getElementById("rows").replaceChildren(...JSON.parse(data).map(({ namespace, phases }) => {
    const row = document.createElement("tr");
    row.insertCell().textContent = namespace;
    row.insertCell().textContent = Object.entries(phases).map(([phase, count]) => phase + " " + count).join(", ");
    return row;
  }));
};</script>`;
