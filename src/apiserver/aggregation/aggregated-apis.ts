import { TransportError } from "../../errors/errors.js";
import { onAbort } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { plainHandlerOf } from "../../internal/plain-handler.js";
import { readLimited } from "../../internal/streams/read-limited.js";
import type { APIService } from "../../kinds/apiregistration/v1.js";
import type { ApiCaller } from "../http/api-caller.js";
import type { FindService } from "../http/service-resolver.js";
import type { UserInfo } from "../http/user-info.js";
import { isJsonObject } from "../internal/json-value.js";
import { getStored, versionOf } from "../registry/stored-objects.js";
import type { MvccStore } from "../storage/mvcc.js";
import { discoveryIn, resourcesIn } from "./discovery-documents.js";
import { userHeaders } from "./user-headers.js";

const bucket = "apiregistration.k8s.io/apiservices";
const checkMs = 5_000;
const aggregatedDiscovery = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const largestDocument = 16 * 1024 * 1024;
/** The user who checks that an API is there. */
const checker: UserInfo = { name: "system:kube-aggregator", uid: "", groups: ["system:masters"], extra: {} };

/** An API version that another server serves. */
export interface AggregatedApi {
  /** Name of the APIService. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly priority: number;
  readonly versionPriority: number;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly caBundle: string | undefined;
  readonly insecureSkipTLSVerify: boolean;
  /** False if the last check of the API failed, or if it wasn't checked yet. */
  readonly available: boolean;
}

/** Findings of a check of an API. */
export interface FoundApi {
  /** Resources of the version, in the form of an APIResourceList. */
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** The same in the form of aggregated discovery, if the server offers it. */
  readonly discovery: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Entries of `/openapi/v3` for the version, by name of the document. */
  readonly openApi: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
  /** Document at `/openapi/v2`, if there is one. */
  readonly swagger: unknown;
}

/** A request to an aggregated API. */
export type AggregatedRequest = Omit<RequestInit, "headers"> & { readonly headers: Headers };

/** The API versions that other servers serve. */
export interface AggregatedApis {
  /** Returns the API of a version, if another server serves it. */
  find(group: string, version: string): AggregatedApi | undefined;
  /** Returns all of them, by priority. */
  list(): readonly AggregatedApi[];
  /** Increases with each change of an API or of its last check. */
  readonly generation: number;
  /** Returns the findings of the last successful check. */
  found(name: string): FoundApi | undefined;
  /**
   * Sends a request for a path, with its query, to the server of an API, on behalf of a user. The header
   * `X-Forwarded-Host`, if set, gets the server's address. Rejects if it can't be reached.
   */
  send(api: AggregatedApi, path: string, init: AggregatedRequest, user: UserInfo): Promise<Response>;
  /** Checks that the server of an API answers. Rejects with the reason if it doesn't. */
  check(api: AggregatedApi): Promise<void>;
  /** Requests another check soon, after a request has failed. */
  recheck(name: string): void;
  /** Registers the function that checks an API. */
  onRecheck(callback: (name: string) => void): void;
}

interface Services {
  readonly store: MvccStore;
  readonly clock: Clock;
  readonly findService: FindService;
  readonly callApi: ApiCaller;
  readonly closed: AbortSignal;
}

/** A document of another server. */
interface Answer {
  readonly text: string;
  readonly json: unknown;
}

/** Creates the table of aggregated APIs. */
export function createAggregatedApis({ store, clock, findService, callApi, closed }: Services): AggregatedApis {
  /** Findings by API, with the text that shows if they have changed. */
  const known = new Map<string, { readonly found: FoundApi; readonly text: string }>();
  let documents = 0;
  let seen = -1;
  let apis: readonly AggregatedApi[] = [];
  let recheck = (_name: string): void => undefined;

  const list = (): readonly AggregatedApi[] => {
    const version = versionOf({ store }, bucket);
    if (version !== seen) {
      seen = version;
      apis = store
        .bucket(bucket)
        .versions("", undefined, store.revision)
        // Only the text is searched, because a new server has dozens of APIServices, and none of another server.
        .filter(({ json }) => json?.includes('"service"') === true)
        .flatMap(({ key }) => aggregatedApi(getStored({ store }, bucket, key) as APIService) ?? [])
        .sort((a, b) => b.priority - a.priority || b.versionPriority - a.versionPriority || (a.name < b.name ? -1 : 1));
    }
    return apis;
  };

  const send: AggregatedApis["send"] = async (api, path, init, user) => {
    const { origin, handler, connectTo } = await findService(api.service);
    if (init.headers.has("X-Forwarded-Host")) init.headers.set("X-Forwarded-Host", connectTo ?? new URL(origin).host);
    const who = userHeaders(user);
    for (const [name, value] of who) init.headers.append(name, value);
    const request = new Request(`${origin}${path}`, init);
    if (handler !== undefined) return handler(request);
    const { caBundle, insecureSkipTLSVerify } = api;
    return callApi(request, { connectTo, caBundle, insecureSkipTLSVerify, userHeaders: who });
  };

  const get = async (api: AggregatedApi, path: string, accept = "application/json"): Promise<Answer | undefined> => {
    const { namespace, name, port } = api.service;
    const url = `https://${name}.${namespace}.svc:${String(port)}${path}`;
    const aborter = new AbortController();
    const { signal } = aborter;
    const timer = clock.setTimer(
      () => aborter.abort(new TransportError(`timed out after ${String(checkMs)} ms`)),
      checkMs,
    );
    const unfollow = onAbort(closed, () => aborter.abort(closed.reason));
    // A handler function may ignore the signal.
    let forget = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      forget = onAbort(signal, () => reject(signal.reason as Error));
    });
    try {
      const bytes = await Promise.race([fetchDocument({ api, path, url, accept, signal }, findService, send), aborted]);
      const text = bytes && new TextDecoder().decode(bytes);
      return text === undefined ? undefined : { text, json: JSON.parse(text) as unknown };
    } catch (error) {
      throw new TransportError(
        `failing or missing response from ${url}: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    } finally {
      timer.cancel();
      unfollow();
      forget();
    }
  };

  return {
    list,
    find: (group, version) => list().find((api) => api.group === group && api.version === version),
    get generation() {
      return versionOf({ store }, bucket) + documents;
    },
    found: (name) => known.get(name)?.found,
    send,
    async check(api) {
      const resources = await get(api, `/apis/${api.group}/${api.version}`);
      // Only the resources are required.
      const openApi = await get(api, "/openapi/v3").catch(() => undefined);
      const swagger = await get(api, "/openapi/v2").catch(() => undefined);
      const groups = await get(api, "/apis", aggregatedDiscovery).catch(() => undefined);
      const found = {
        resources: resourcesIn(resources?.json),
        discovery: discoveryIn(groups?.json, api),
        openApi: documentsIn(openApi?.json, `apis/${api.group}/${api.version}`),
      };
      const text = `${JSON.stringify(found)}${swagger?.text ?? ""}`;
      if (text === known.get(api.name)?.text) return;
      known.set(api.name, { found: { ...found, swagger: swagger?.json }, text });
      documents += 1;
    },
    recheck: (name) => recheck(name),
    onRecheck(callback) {
      recheck = callback;
    },
  };
}

/** A document that a check reads. */
interface DocumentRequest {
  readonly api: AggregatedApi;
  readonly path: string;
  /** URL for messages. */
  readonly url: string;
  readonly accept: string;
  readonly signal: AbortSignal;
}

/** Returns the bytes of a document, or `undefined` if it's too large. */
async function fetchDocument(
  { api, path, url, accept, signal }: DocumentRequest,
  findService: FindService,
  send: AggregatedApis["send"],
): Promise<Uint8Array | undefined> {
  const badStatus = (status: number): Error => new TransportError(`bad status from ${url}: ${String(status)}`);
  const { handler } = await findService(api.service);
  const plain = handler && plainHandlerOf(handler);
  if (plain !== undefined) {
    const headers = Object.fromEntries(
      [["accept", accept] as const, ...userHeaders(checker)].map(([name, value]) => [name.toLowerCase(), value]),
    );
    const { status, body } = await plain({ method: "GET", path, headers, signal });
    if (status < 200 || status > 299) throw badStatus(status);
    if (body instanceof Uint8Array) return body.length > largestDocument ? undefined : body;
    // Only fetch-style responses are read in parts here.
    await body?.cancel();
  }
  const response = await send(api, path, { headers: new Headers([["accept", accept]]), signal }, checker);
  if (response.status < 200 || response.status > 299) {
    await response.body?.cancel();
    throw badStatus(response.status);
  }
  return await readLimited(response, largestDocument);
}

function aggregatedApi({ metadata, spec, status }: APIService): AggregatedApi | undefined {
  const { name = "", namespace = "", port = 443 } = spec?.service ?? {};
  if (spec?.service === undefined || name === "") return undefined;
  return {
    name: metadata?.name ?? "",
    group: spec.group ?? "",
    version: spec.version ?? "",
    priority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    service: { namespace, name, port },
    caBundle: spec.caBundle,
    insecureSkipTLSVerify: spec.insecureSkipTLSVerify === true,
    available: status?.conditions?.some((each) => each.type === "Available" && each.status === "True") === true,
  };
}

function documentsIn(index: unknown, name: string): FoundApi["openApi"] {
  const paths = isJsonObject(index) ? index["paths"] : undefined;
  const entry = isJsonObject(paths) ? paths[name] : undefined;
  const url = isJsonObject(entry) ? entry["serverRelativeURL"] : undefined;
  return typeof url === "string" ? { [name]: { serverRelativeURL: url } } : {};
}
