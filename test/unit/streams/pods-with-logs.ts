import { createApiServer } from "../../../src/apiserver/server.js";
import { createClient } from "../../../src/client/client.js";
import { utf8Encode } from "../../../src/internal/bytes.js";
import { type ContainerStatus, Pod } from "../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../src/transport/handler.js";

/** Log of a container on a node, whose streams a test can break. */
class NodeLog {
  readonly lines: string[] = [];
  readonly requests: string[] = [];
  /** True while the container doesn't run: its log ends. */
  isOver = false;
  /** Lines that are only produced as they are read, and the number of those that were. */
  source: readonly string[] = [];
  pulled = 0;
  readonly #streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  get open(): number {
    return this.#streams.size;
  }

  respond(query: URLSearchParams): Response {
    this.requests.push(["tailLines", "sinceSeconds", "sinceTime"].map((name) => query.get(name) ?? "-").join(" "));
    // Like a node, which compares whole seconds.
    const since = query.get("sinceTime")?.slice(0, 19) ?? "";
    const tail = Number(query.get("tailLines") ?? this.lines.length);
    const first = this.lines.filter((line) => line.slice(0, 19) >= since).slice(-tail || this.lines.length);
    let stream: ReadableStreamDefaultController<Uint8Array>;
    if (this.source.length > 0) return new Response(this.#pulledBody());
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller;
        this.#streams.add(controller);
        for (const line of first) controller.enqueue(utf8Encode(`${line}\n`));
        if (this.isOver) this.end();
      },
      cancel: () => void this.#streams.delete(stream),
    });
    return new Response(body, { headers: { "content-type": "text/plain" } });
  }

  #pulledBody(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const line = this.source[this.pulled++];
        if (line !== undefined) controller.enqueue(utf8Encode(`${line}\n`));
      },
    });
  }

  write(time: string, text: string): void {
    this.lines.push(`2026-01-01T00:00:${time}Z ${text}`);
    for (const stream of this.#streams) stream.enqueue(utf8Encode(`${this.lines.at(-1)!}\n`));
  }

  end(error?: Error): void {
    for (const stream of this.#streams) {
      if (error === undefined) stream.close();
      else stream.error(error);
    }
    this.#streams.clear();
  }
}

/** An API server whose pods have logs. */
export async function startPodsWithLogs() {
  const server = createApiServer();
  const logs = new Map<string, NodeLog>();
  const forbidden = new Set<string>();
  const transport = handlerTransport(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const [, pod] = /\/pods\/([^/]+)\/log$/.exec(pathname) ?? [];
    if (forbidden.has(pod ?? pathname))
      return Response.json({ kind: "Status", status: "Failure", code: 403, reason: "Forbidden" }, { status: 403 });
    return pod === undefined
      ? server.handle(request)
      : logs.get(`${pod} ${searchParams.get("container")!}`)!.respond(searchParams);
  });
  const client = createClient({ transport, retry: false });
  const pods = client.resource(Pod).namespace("default");
  const add = async (name: string, containers: readonly string[] = ["main"]): Promise<NodeLog> => {
    for (const container of containers) logs.set(`${name} ${container}`, new NodeLog());
    const spec = {
      nodeName: "node-a",
      initContainers: [{ name: "init", image: "web:1" }],
      containers: containers.map((each) => ({ name: each, image: "web:1" })),
    };
    await pods.create({ metadata: { name, labels: { app: "web" } }, spec });
    await setRuns(
      name,
      containers.map((each) => ({ name: each, containerID: `test://${name}-${each}-1` })),
    );
    return logs.get(`${name} ${containers[0]!}`)!;
  };
  const setRuns = async (name: string, runs: readonly Partial<ContainerStatus>[]): Promise<void> => {
    await pods.subresource("status").patch(name, {
      type: "merge",
      patch: {
        status: {
          containerStatuses: runs.map((run) => ({
            name: "main",
            image: "web:1",
            imageID: "",
            ready: true,
            restartCount: 0,
            state: { running: {} },
            ...run,
          })),
        },
      },
    });
  };
  const close = async (): Promise<void> => {
    await client.close();
    await server.close();
  };
  return { client, pods, add, setRuns, logs, forbidden, [Symbol.asyncDispose]: close };
}
