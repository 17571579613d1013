import { utf8Encode } from "../internal/bytes.js";
import type { Clock } from "../internal/clock.js";
import { systemClock } from "../internal/clock.js";
import { headerBytes } from "../internal/header-text.js";
import { createEscalationCheck } from "./admission/escalation.js";
import { paramRights } from "./admission/param-rights.js";
import { builtinAdmission } from "./admission/plugins.js";
import { createServiceAccountTokens } from "./authentication/service-account-tokens.js";
import { builtinResources } from "./builtin/builtin-resources.js";
import type { ControllerToggles } from "./controllers/controllers.js";
import { anyChosen, startControllers } from "./controllers/controllers.js";
import type { ControllerServices } from "./controllers/services.js";
import type { FaultPlan } from "./faults/plan.js";
import { createFaultPlan } from "./faults/plan.js";
import type { AuditOptions } from "./filters/audit.js";
import { audit, auditFailedAuthentication } from "./filters/audit.js";
import { anonymous, authentication } from "./filters/authentication.js";
import { authorization } from "./filters/authorization.js";
import { compression } from "./filters/compression.js";
import { cors, originMatcher } from "./filters/cors.js";
import { deadline } from "./filters/deadline.js";
import { answerErrors } from "./filters/errors.js";
import type { Next } from "./filters/filter.js";
import { chain } from "./filters/filter.js";
import { flowControl } from "./filters/flow-control.js";
import { impersonation } from "./filters/impersonation.js";
import { warnings } from "./filters/warnings.js";
import { createFlowControl } from "./flowcontrol/flow-control.js";
import { dispatch } from "./handlers/dispatch.js";
import type { HandlerServices } from "./handlers/services.js";
import type { ServerRequest, ServerResponse } from "./http/http.js";
import { fromRequest, responseHeader, textResponse, toResponse } from "./http/http.js";
import { parseQuery, unescapePercent } from "./http/query.js";
import type { RequestContext } from "./http/request-context.js";
import { parseRequestInfo } from "./http/request-info.js";
import type { UserInfo } from "./http/user-info.js";
import type { WebhookCaller } from "./http/webhook-caller.js";
import { fetchWebhookCaller } from "./http/webhook-caller.js";
import { goQuote } from "./internal/go-text.js";
import { kindOf } from "./kinds/builtin-kinds.js";
import { strategyFor } from "./kinds/strategy-for.js";
import { createFieldManagement } from "./managedfields/field-management.js";
import type { ApiObject } from "./objects/api-object.js";
import { alwaysAllow, createRbacAuthorizer } from "./rbac/authorizer.js";
import { storeBootstrapObjects } from "./registry/bootstrap.js";
import { namespaceLifecycle } from "./registry/namespaces.js";
import { ResourceTable } from "./registry/resource-table.js";
import type { AdmissionPlugin } from "./registry/services.js";
import { getStored, listStored, versionOf } from "./registry/stored-objects.js";
import type { DumpOptions } from "./state/dump.js";
import { dumpObjects, dumpYaml } from "./state/dump.js";
import type { Manifests } from "./state/load.js";
import { loadState } from "./state/load.js";
import type { RetentionOptions, Snapshot } from "./storage/mvcc.js";
import { MvccStore } from "./storage/mvcc.js";
import type { ProtobufCache } from "./wire/protobuf-cache.js";
import { createProtobufCache } from "./wire/protobuf-cache.js";

/**
 * Options for `createApiServer`.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubestream/apiserver";
 *
 * const server = createApiServer({
 *   controllers: { garbageCollection: false },
 *   retention: { historyMs: 10_000 },
 *   corsAllowedOrigins: ["//localhost:"],
 *   onError: (error) => console.error(error),
 * });
 * await server.close();
 * ```
 */
export interface ApiServerOptions {
  /** Source of the current time and of timers. Default: the system clock. */
  readonly clock?: Clock;
  /**
   * Users by bearer token. An unknown token gets a 401; a request without a token is anonymous. Default: no tokens.
   *
   * @example
   * ```ts
   * import { createApiServer, type UserInfo } from "kubestream/apiserver";
   *
   * const jane: UserInfo = { name: "jane", uid: "1", groups: ["system:masters"], extra: {} };
   * const server = createApiServer({ tokens: new Map([["jane-token", jane]]), authorizationMode: "RBAC" });
   * const request = new Request("http://server/api/v1/nodes", { headers: { authorization: "Bearer jane-token" } });
   * console.log((await server.handle(request)).status); // 200; without the token 403
   * await server.close();
   * ```
   */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /**
   * Paths that requests without a token may use: `true` for all, `false` for none, or a list such as `["/readyz"]`.
   * Other requests without a token get a 401. Default: `true`.
   */
  readonly anonymousAuth?: boolean | readonly string[];
  /** Authorization mode: `RBAC` evaluates the stored roles and bindings. Default: `AlwaysAllow`. */
  readonly authorizationMode?: "AlwaysAllow" | "RBAC";
  /** Limits for the history that lists and watches can read. */
  readonly retention?: RetentionOptions;
  /**
   * Controllers that run inside the server; `false` runs none, like a kube-apiserver without a controller manager.
   * Default: all of them.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const bare = createApiServer({ controllers: false });
   * const partial = createApiServer({ controllers: { defaultServiceAccount: false, rootCaConfigMap: false } });
   * await Promise.all([bare.close(), partial.close()]);
   * ```
   */
  readonly controllers?: ControllerToggles | false;
  /**
   * CA certificate in PEM to publish in every ConfigMap `kube-root-ca.crt`. Default: empty, because the server speaks
   * plain HTTP.
   */
  readonly rootCa?: string;
  /**
   * Function that calls webhooks. Default: `fetch`, which trusts only the system's certificate authorities. In Node,
   * use `nodeWebhookCaller` of `kubestream/apiserver/node` to honour each webhook's `caBundle`.
   */
  readonly webhooks?: WebhookCaller;
  /** Seed for faults that have a `probability`. Default: 1. */
  readonly faultSeed?: number;
  /**
   * Admission plugins that run after the built-in ones.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({
   *   admission: [
   *     {
   *       name: "AddTeamLabel",
   *       admit({ operation, object }) {
   *         if (operation !== "CREATE" || object === undefined) return;
   *         object.metadata = { ...object.metadata, labels: { team: "none", ...object.metadata?.labels } };
   *       },
   *     },
   *   ],
   * });
   * await server.close();
   * ```
   */
  readonly admission?: readonly AdmissionPlugin[];
  /** Audit policy and sink. Default: requests aren't audited. */
  readonly audit?: AuditOptions;
  /**
   * Origins allowed by CORS, as regular expressions in Go's syntax. Each pattern must match from the start to the end
   * of the host. Default: no origin.
   */
  readonly corsAllowedOrigins?: readonly string[];
  /**
   * Called with an `ApiServerControllerError` each time a controller fails on an object. The controller retries with
   * increasing delays. Exceptions of this callback are ignored. Default: errors aren't reported.
   */
  readonly onError?: (error: unknown) => void;
}

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
   * Handles one `Request`. Rejects only if the request's signal aborts before the response starts, or if a fault breaks
   * the connection.
   */
  handle(request: Request): Promise<Response>;
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

const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

function randomSuffix(): string {
  let text = "";
  for (let i = 0; i < 5; i += 1) text += nameAlphabet[Math.floor(Math.random() * nameAlphabet.length)]!;
  return text;
}

/** All services of one server. Each folder sees only the part that it declares. */
interface ServerServices extends HandlerServices, ControllerServices {
  readonly protobuf: ProtobufCache;
}

type ServerContext = RequestContext<ServerServices>;

/** Reads the stored objects of one API group for authorization and flow control. */
function storedSource(
  store: MvccStore,
  group: string,
): { version(resource: string): number; list(resource: string): ApiObject[] } {
  return {
    version: (resource) => versionOf({ store }, `${group}/${resource}`),
    list: (resource) => listStored({ store }, `${group}/${resource}`),
  };
}

function createServices(options: ApiServerOptions, closed: AbortSignal): ServerServices {
  const clock = options.clock ?? systemClock;
  const store = new MvccStore(clock, options.retention);
  const resources = new ResourceTable(
    builtinResources({
      strategyOf: (group, version, resource) => strategyFor(group, resource, version),
      kindOf,
    }),
  );
  const authorizer =
    options.authorizationMode === "RBAC"
      ? createRbacAuthorizer(storedSource(store, "rbac.authorization.k8s.io"))
      : alwaysAllow;
  const tokens = options.tokens ?? new Map<string, UserInfo>();
  const serviceAccounts = createServiceAccountTokens(clock, (bucket, key) => getStored({ store }, bucket, key));
  return {
    clock,
    store,
    resources,
    authorizer,
    tokens: [(token) => tokens.get(token), (token) => serviceAccounts.find(token)],
    serviceAccounts,
    flowControl: createFlowControl(storedSource(store, "flowcontrol.apiserver.k8s.io"), clock),
    controllersRun: anyChosen(options.controllers ?? {}),
    protobuf: createProtobufCache(),
    callWebhook: options.webhooks ?? fetchWebhookCaller(clock),
    uuid: () => crypto.randomUUID(),
    suffix: randomSuffix,
    fieldManagement: createFieldManagement(resources),
    admission: [
      createEscalationCheck(authorizer),
      paramRights,
      namespaceLifecycle,
      ...builtinAdmission,
      ...(options.admission ?? []),
    ],
    reportError(error) {
      try {
        options.onError?.(error);
      } catch {
        // An exception of the error callback itself can't be reported anywhere.
      }
    },
    closed,
  };
}

/** Composes the filter chain in the order of kube-apiserver, outermost filter first. */
function createChain(options: ApiServerOptions, services: ServerServices): Next<ServerServices> {
  const { authorizer, tokens } = services;
  const { audit: recorded, corsAllowedOrigins, anonymousAuth = true } = options;
  return chain<ServerServices>(
    [
      answerErrors,
      compression,
      deadline,
      warnings,
      answerErrors,
      ...(corsAllowedOrigins === undefined ? [] : [cors(corsAllowedOrigins)]),
      ...(recorded === undefined ? [] : [auditFailedAuthentication(recorded)]),
      authentication(tokens, anonymousAuth),
      ...(recorded === undefined ? [] : [audit(recorded)]),
      impersonation(authorizer),
      flowControl(services.flowControl),
      authorization(authorizer),
    ],
    dispatch,
  );
}

async function serveRequest(
  services: ServerServices,
  answer: Next<ServerServices>,
  request: ServerRequest,
): Promise<ServerResponse> {
  const path = unescapePercent(request.path);
  if (path === undefined)
    return {
      status: 400,
      headers: [["Content-Type", "text/plain; charset=utf-8"]],
      body: utf8Encode("400 Bad Request"),
    };
  const query = parseQuery(request.query);
  const auditId = request.header("audit-id") ?? services.uuid();
  const info = parseRequestInfo(request.method, path, query);
  if (info.malformed === true)
    return textResponse(
      500,
      `Internal Server Error: ${goQuote(path)}: failed to create RequestInfo: unable to determine kind and namespace from url, ${path}\n`,
      [["Audit-Id", headerBytes(auditId)]],
    );
  const warningList: string[] = [];
  const warned = new Set<string>();
  const context: ServerContext = {
    services,
    request,
    query,
    info,
    user: anonymous,
    signal: request.signal,
    warnings: warningList,
    headers: [["Audit-Id", headerBytes(auditId)]],
    nowMs: services.clock.now(),
    warn(text) {
      if (warned.has(text)) return;
      warned.add(text);
      warningList.push(text);
    },
  };
  const response = await answer(context);
  response.headers.unshift(...context.headers);
  if (responseHeader(response, "cache-control") === undefined)
    response.headers.push(["Cache-Control", "no-cache, private"]);
  return response;
}

/**
 * Creates an API server that serves all built-in kinds and accepts CustomResourceDefinitions. Runs in Node and in
 * browsers, without a socket. Throws a `ConfigError` if an option is invalid.
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
  const services = createServices(options, closing.signal);
  // First, because it throws on invalid options, before controllers are running.
  const answer = createChain(options, services);
  const allowsOrigin = originMatcher(options.corsAllowedOrigins ?? []);
  const { store, protobuf, clock } = services;
  for (const resource of services.resources.storages()) store.bucketFromStart(resource.bucket);
  store.onCommit((_, { old }) => {
    if (old !== undefined) protobuf.forget(old);
  });
  storeBootstrapObjects(services);
  const controllers = startControllers(services, options.controllers ?? {}, options.rootCa ?? "");
  const { plan: faults, serve } = createFaultPlan(
    (request) => serveRequest(services, answer, request),
    clock,
    () => store.revision,
    options.faultSeed ?? 1,
  );

  const close = (): Promise<void> => {
    closing.abort();
    for (const name of store.bucketNames()) for (const end of [...store.bucket(name).watchers]) end();
    return Promise.resolve();
  };
  return {
    serve,
    handle: async (request) => toResponse(await serve(fromRequest(request))),
    compact: (revision) => store.compact(revision ?? store.revision),
    advertise: (address, port) => controllers.advertise(address, port),
    allowsOrigin,
    load: (manifests) => loadState(services, manifests, () => controllers.idle()),
    dump: (dumpOptions) => dumpObjects(services, dumpOptions),
    dumpYaml: (dumpOptions) => dumpYaml(services, dumpOptions),
    faults,
    snapshot: () => store.snapshot(),
    settled: () => controllers.idle(),
    restore(snapshot) {
      store.restore(snapshot);
      protobuf.clear();
      controllers.rescan();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
