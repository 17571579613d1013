import { lazyModule } from "../internal/lazy-module.js";
import { plainHandler } from "../internal/plain-handler.js";
import type { Kind } from "../meta/kind.js";
import { createChain, serveRequest } from "./chain.js";
import { controllersInitialObjects, startControllers } from "./controllers/controllers.js";
import type { FaultPlan } from "./faults/plan.js";
import { createFaultPlan } from "./faults/plan.js";
import { originMatcher } from "./filters/cors.js";
import type { ClientIdentity } from "./http/client-identity.js";
import type { ServerRequest, ServerResponse } from "./http/http.js";
import { fromRequest, toResponse } from "./http/http.js";
import { createPlainHandler } from "./http/plain-handler.js";
import { createStart } from "./internal/start.js";
import type { ApiObject } from "./objects/api-object.js";
import type { ApiServerOptions } from "./options.js";
import { storeBootstrapObjects } from "./registry/bootstrap.js";
import { createServices } from "./services.js";
import type { DumpOptions } from "./state/dump.js";
import { dumpObjects, dumpYaml } from "./state/dump.js";
import { createFirstObjects } from "./state/first-objects.js";
import type { Manifests } from "./state/load.js";
import type { Snapshot } from "./storage/mvcc.js";

const loading = lazyModule(() => import("./state/load.js"));

/**
 * An API server that runs in this process. Connect a client with `handlerTransport(server.handle)`, open a port with
 * `listen` of `kubestream/apiserver/node`, or intercept `fetch` with `createMswHandlers` of `kubestream/apiserver/msw`.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubestream/apiserver";
 *
 * const server = createApiServer();
 * const request = new Request("http://server/api/v1/namespaces", {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: JSON.stringify({ metadata: { name: "team" } }),
 * });
 * console.log((await server.handle(request)).status); // 201
 * await server.close();
 * ```
 */
export interface ApiServer {
  /**
   * Resolves when the server has checked all options. Rejects with a `ConfigError` that names the invalid one: CEL
   * expressions and regular expressions are compiled after `createApiServer` returns. Requests wait for it, so call it
   * only to see the error early.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({ corsAllowedOrigins: ["^https://app\\.example\\.com(:|$)"] });
   * await server.ready();
   * await server.close();
   * ```
   */
  ready(): Promise<void>;
  /**
   * Handles one `Request`. Rejects only if the request's signal aborts before the response starts, if a fault breaks the
   * connection, or if `ready` rejects. `client` identifies the caller without credentials.
   *
   * @example
   * ```ts
   * import { createClient, handlerTransport } from "kubestream";
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({ authorizationMode: "RBAC" });
   * const user = { name: "jane", uid: "", groups: ["system:masters"], extra: {} };
   * const jane = createClient({ transport: handlerTransport((request) => server.handle(request, { user })) });
   * await jane.close();
   * await server.close();
   * ```
   */
  handle(request: Request, client?: ClientIdentity): Promise<Response>;
  /** Handles one request without the platform's `Request` and `Response` classes. Meant for adapters. */
  serve(request: ServerRequest): Promise<ServerResponse>;
  /**
   * Discards the versions before `revision` (default: the latest). Lists at an older version, including those that
   * continue from a page, get 410 Gone. Watches aren't affected.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer();
   * await server.load([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }]);
   * server.compact();
   * const url = "http://server/api/v1/pods?resourceVersion=1&resourceVersionMatch=Exact";
   * console.log((await server.handle(new Request(url))).status); // 410
   * await server.close();
   * ```
   */
  compact(revision?: number): void;
  /**
   * Publishes the server's address in the Endpoints and the EndpointSlice of the Service `kubernetes`, which don't
   * exist before. `address` is an IP address. `listen` calls this for you. Resolves when both objects are stored.
   */
  advertise(address: string, port: number): Promise<void>;
  /** Authorities that may sign client certificates, in PEM, by option. Meant for adapters. */
  readonly clientAuthorities: Readonly<Partial<Record<"clientCa" | "requestHeader", string>>>;
  /** True if `corsAllowedOrigins` matches this origin. */
  allowsOrigin(origin: string): boolean;
  /**
   * Resolves when the controllers inside the server have no work left.
   *
   * @example
   * ```ts
   * import { createClient, handlerTransport } from "kubestream";
   * import { createApiServer } from "kubestream/apiserver";
   * import { Namespace, ServiceAccount } from "kubestream/kinds/core/v1";
   *
   * const server = createApiServer();
   * const client = createClient({ transport: handlerTransport(server.handle) });
   * await client.resource(Namespace).create({ metadata: { name: "team" } });
   * await server.settled(); // The ServiceAccount controller has seen the namespace.
   * console.log((await client.resource(ServiceAccount).namespace("team").get("default")).metadata?.name);
   * await client.close();
   * await server.close();
   * ```
   */
  settled(): Promise<void>;
  /**
   * Stores objects without admission, as if they had always existed. Accepts YAML or JSON text, or objects. Replaces
   * objects of the same name and keeps status, UIDs and timestamps. CustomResourceDefinitions and Namespaces load
   * first. Returns the number of objects. Rejects with an error that names the object.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer();
   * await server.load(`
   * apiVersion: v1
   * kind: ConfigMap
   * metadata: { name: settings, namespace: default }
   * data: { colour: blue }
   * `);
   * const configMaps = server.dump({ kinds: ["ConfigMap"] });
   * console.log(configMaps.map((object) => object.metadata?.name));
   * await server.close();
   * ```
   */
  load(manifests: Manifests): Promise<number>;
  /**
   * Returns all stored objects, to inspect or to `load` into another server.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const first = createApiServer();
   * const second = createApiServer();
   * await second.load(first.dump());
   * console.log(second.dumpYaml({ namespace: "default", kinds: ["Service"] }));
   * await Promise.all([first.close(), second.close()]);
   * ```
   */
  dump(options?: DumpOptions): ApiObject[];
  /** Returns the same objects as YAML, one document per object. */
  dumpYaml(options?: DumpOptions): string;
  /**
   * Calls back once, as soon as an object of one of the kinds is stored: at once if there is one, otherwise in the commit
   * of the first one, so don't do more in the callback than starting other work. Returns a function that ends the wait.
   * Meant for programs in this process that have nothing to do before, and needn't watch these kinds until then.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   * import { Secret } from "kubestream/kinds/core/v1";
   *
   * const server = createApiServer();
   * server.whenStored([Secret], () => console.log("the first Secret"));
   * await server.load([{ apiVersion: "v1", kind: "Secret", metadata: { name: "a", namespace: "default" } }]);
   * await server.close();
   * ```
   */
  whenStored(kinds: readonly Pick<Kind, "group" | "plural">[], callback: () => void): () => void;
  /** Faults to inject into requests: delays, failures, broken connections. */
  readonly faults: FaultPlan;
  /** Captures the current state. Objects aren't copied, so it's cheap for stores of any size. */
  snapshot(): Snapshot;
  /**
   * Restores a snapshot. Ends open watches; clients that resume from an older version get 410 Gone.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer();
   * await server.load([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }]);
   * const baseline = server.snapshot();
   * await server.load([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "team" } }]);
   * server.restore(baseline); // The ConfigMap is gone, the namespace is still there.
   * await server.close();
   * ```
   */
  restore(snapshot: Snapshot): void;
  /** Ends all watches and stops the controllers. */
  close(): Promise<void>;
  /** Same as `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates an API server that serves all built-in kinds and accepts CustomResourceDefinitions. Runs in Node and in
 * browsers, without a socket. Throws a `ConfigError` if an option is invalid; `ready` rejects with one if an expression
 * in an option is.
 *
 * @example
 * ```ts
 * import { createClient, handlerTransport } from "kubestream";
 * import { createApiServer } from "kubestream/apiserver";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 *
 * const server = createApiServer();
 * const client = createClient({ transport: handlerTransport(server.handle) });
 * const created = await client.resource(ConfigMap).namespace("default").create({ metadata: { name: "settings" } });
 * console.log(created.metadata?.uid);
 * await client.close();
 * await server.close();
 * ```
 */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const closing = new AbortController();
  const start = createStart();
  const services = createServices(options, closing.signal, start.add);
  // First, because it throws on invalid options, before controllers are running.
  const allowsOrigin = originMatcher(options.corsAllowedOrigins ?? [], start.add);
  const answer = createChain(options, services, allowsOrigin);
  const { store, protobuf, clock } = services;
  for (const resource of services.resources.storages()) store.bucketFromStart(resource.bucket);
  store.onCommit((_, { old }) => {
    if (old !== undefined) protobuf.forget(old);
  });
  const firstObjects = createFirstObjects(store);
  const { controllers: toggles = {}, rootCa = "" } = options;
  storeBootstrapObjects(services, controllersInitialObjects(toggles, rootCa));
  const controllers = startControllers(services, toggles, rootCa);
  const { plan: faults, serve } = createFaultPlan(
    (request) => {
      const starting = start.pending();
      return starting === undefined
        ? serveRequest(services, answer, request)
        : starting.then(() => serveRequest(services, answer, request));
    },
    clock,
    () => store.revision,
    options.faultSeed ?? 1,
  );

  const close = (): Promise<void> => {
    closing.abort();
    services.flowControl.close();
    for (const name of store.bucketNames()) store.bucket(name).watchers.endAll();
    return Promise.resolve();
  };
  const handle: ApiServer["handle"] = async (request, client) => toResponse(await serve(fromRequest(request, client)));
  return {
    ready: async () => start.pending(),
    serve,
    handle: Object.assign(handle, { [plainHandler]: createPlainHandler(serve) }),
    compact: (revision) => store.compact(revision ?? store.revision),
    advertise: (address, port) => controllers.advertise(address, port),
    clientAuthorities: {
      ...(options.clientCa === undefined ? {} : { clientCa: options.clientCa }),
      ...(options.requestHeader === undefined ? {} : { requestHeader: options.requestHeader.clientCa }),
    },
    allowsOrigin,
    async load(manifests) {
      await loading.load();
      return await loading.get().loadState(services, manifests, () => controllers.idle());
    },
    dump: (dumpOptions) => dumpObjects(services, dumpOptions),
    dumpYaml: (dumpOptions) => dumpYaml(services, dumpOptions),
    whenStored: firstObjects.when,
    faults,
    snapshot: () => store.snapshot(),
    settled: () => controllers.idle(),
    restore(snapshot) {
      store.restore(snapshot);
      protobuf.clear();
      controllers.rescan();
      firstObjects.rescan();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
