import { utf8Encode } from "../internal/bytes.js";
import type { Clock } from "../internal/clock.js";
import { systemClock } from "../internal/clock.js";
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
import { cors } from "./filters/cors.js";
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

/** How an API server is to behave. */
export interface ApiServerOptions {
  /** Where time comes from. Default: the system's clock. */
  readonly clock?: Clock;
  /** Users by bearer token. A request with an unknown token is answered 401; one without a token is anonymous. Default: none. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** Who may do what. Default: `AlwaysAllow`. */
  readonly authorizationMode?: "AlwaysAllow" | "RBAC";
  /** How much history lists and watches can go back to. */
  readonly retention?: RetentionOptions;
  /** Which controllers run beside the API; `false` for none, as a kube-apiserver alone. Default: all. */
  readonly controllers?: ControllerToggles | false;
  /** Certificate authority in PEM that the ConfigMap `kube-root-ca.crt` holds. Default: empty, as the server speaks plain HTTP. */
  readonly rootCa?: string;
  /** How webhooks are called. Default: by `fetch`, which trusts the system's certificate authorities alone. */
  readonly webhooks?: WebhookCaller;
  /** Seed of the faults that come with a probability. Default: 1. */
  readonly faultSeed?: number;
  /** More steps of admission, after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Records requests, as the audit log of a kube-apiserver. Default: nothing is recorded. */
  readonly audit?: AuditOptions;
  /** Origins whose pages may use the API, as regular expressions in Go's syntax that hold on to both ends of the host. Default: none. */
  readonly corsAllowedOrigins?: readonly string[];
  /**
   * Receives what the controllers throw: an `ApiServerControllerError` with the controller, the object and the cause. A controller tries a failed
   * object again, later each time. Errors of this callback are dropped. Default: errors are not reported.
   */
  readonly onError?: (error: unknown) => void;
}

/** An API server in this process. Adapters put it behind a port, a client or a service worker. */
export interface ApiServer {
  /** Answers one request. Rejects only if the request's signal fires before there is an answer. */
  handle(request: Request): Promise<Response>;
  /** Answers one request without going through the platform's classes: what adapters use. */
  serve(request: ServerRequest): Promise<ServerResponse>;
  /** Forgets all revisions before this one; default: the latest. */
  compact(revision?: number): void;
  /**
   * Says where the server can be reached: Endpoints and an EndpointSlice of the Service `kubernetes` point there from then on. `address` is an
   * IP address. `listen` calls it; before there are no such objects. Resolves when they are stored.
   */
  advertise(address: string, port: number): Promise<void>;
  /** Resolves when the controllers beside the API have nothing left to do. */
  settled(): Promise<void>;
  /**
   * Puts objects into the store past admission, as if they had always been there: manifests in YAML or JSON, or data. Objects of the same name
   * are replaced; status, uid and times are kept. Answers how many there were. Rejects with an error that names the object.
   */
  load(manifests: Manifests): Promise<number>;
  /** All stored objects, to look at or to load again. */
  dump(options?: DumpOptions): ApiObject[];
  /** The same as YAML, one document for each object. */
  dumpYaml(options?: DumpOptions): string;
  /** Faults to put before the server: delays, failures, broken connections. */
  readonly faults: FaultPlan;
  /** What the server holds now. Costs little, whatever the size. */
  snapshot(): Snapshot;
  /** Goes back to a snapshot. Open watches end, and clients that come back with an old version are told to start over. */
  restore(snapshot: Snapshot): void;
  /** Ends all watches and controllers. */
  close(): Promise<void>;
  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

function randomSuffix(): string {
  let text = "";
  for (let i = 0; i < 5; i += 1) text += nameAlphabet[Math.floor(Math.random() * nameAlphabet.length)]!;
  return text;
}

/** All services of one server. Each room sees the part that it declares. */
interface ServerServices extends HandlerServices, ControllerServices {
  readonly protobuf: ProtobufCache;
}

type ServerContext = RequestContext<ServerServices>;

/** The stored objects of one API group, as authorization and flow control read them. */
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
        // The callback for errors throws one itself; no other place remains to report it.
      }
    },
    closed,
  };
}

/** The chain in the order of a real server, outermost first. */
function createChain(options: ApiServerOptions, services: ServerServices): Next<ServerServices> {
  const { authorizer, tokens } = services;
  const { audit: recorded, corsAllowedOrigins } = options;
  return chain<ServerServices>(
    [
      answerErrors,
      compression,
      deadline,
      warnings,
      answerErrors,
      ...(corsAllowedOrigins === undefined ? [] : [cors(corsAllowedOrigins)]),
      ...(recorded === undefined ? [] : [auditFailedAuthentication(recorded)]),
      authentication(tokens),
      ...(recorded === undefined ? [] : [audit(recorded)]),
      impersonation(authorizer),
      flowControl(services.flowControl),
      authorization(authorizer),
    ],
    dispatch,
  );
}

/** Runs one request through the chain. */
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
      [["Audit-Id", auditId]],
    );
  const warningList: string[] = [];
  const context: ServerContext = {
    services,
    request,
    query,
    info,
    user: anonymous,
    signal: request.signal,
    warnings: warningList,
    headers: [["Audit-Id", auditId]],
    nowMs: services.clock.now(),
    warn(text) {
      if (!warningList.includes(text)) warningList.push(text);
    },
  };
  const response = await answer(context);
  response.headers.unshift(...context.headers);
  if (responseHeader(response, "cache-control") === undefined)
    response.headers.push(["Cache-Control", "no-cache, private"]);
  return response;
}

/** Makes an API server that serves all built-in kinds. */
export function createApiServer(options: ApiServerOptions = {}): ApiServer {
  const closing = new AbortController();
  const services = createServices(options, closing.signal);
  // Before anything runs: wrong options throw here.
  const answer = createChain(options, services);
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
