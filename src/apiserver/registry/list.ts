import { ApiFailure, badRequest, expired, tooLargeResourceVersion } from "../errors/status.js";
import type { Version } from "../storage/bucket.js";
import { decodeContinue, encodeContinue } from "../storage/continue-token.js";
import { parseResourceVersion, wrongVersion } from "../storage/resource-version.js";
import { prefixEnd } from "../storage/sorted-map.js";
import type { ListRequest } from "./list-options.js";
import { attributesOf } from "./read.js";
import type { ServedResource } from "./resources.js";
import type { RegistryContext } from "./services.js";

/** One page of a list. */
export interface Page {
  readonly versions: readonly Version[];
  readonly revision: number;
  /** Continue token of the next page; `""` on the last one. */
  readonly next: string;
  readonly remaining: number | undefined;
}

const freshnessWaitMs = 3000;
const tooOldList = "The resourceVersion for the provided list is too old.";
const tooOldContinue =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/**
 * Waits until the store reaches a revision, like a watch cache that may lag behind. Resources that aren't `cached`
 * don't wait. Throws 504.
 */
export async function waitForRevision(
  context: RegistryContext,
  resource: ServedResource,
  revision: number,
  cached: boolean = !resource.uncached,
): Promise<void> {
  const { store, clock } = context.services;
  if (revision <= store.revision) return;
  if (cached) {
    const signal = context.signal();
    signal.throwIfAborted();
    const reached = await new Promise<boolean>((resolve, reject) => {
      const end = (settle: () => void): void => {
        timer.cancel();
        stop();
        signal.removeEventListener("abort", onAbort);
        settle();
      };
      const onAbort = (): void => end(() => reject(signal.reason as Error));
      const stop = store.onRevision((now) => {
        if (now >= revision) end(() => resolve(true));
      });
      const timer = clock.setTimer(() => end(() => resolve(false)), freshnessWaitMs);
      signal.addEventListener("abort", onAbort, { once: true });
    });
    if (reached) return;
  }
  throw tooLargeResourceVersion(revision, store.revision, cached);
}

/** Parses the resourceVersion parameter of a list. Throws 400. */
export function listResourceVersion(text: string): number {
  if (text === "") return 0;
  const revision = parseResourceVersion(text);
  if (revision === undefined) throw badRequest(`invalid resource version: ${wrongVersion(text)}`);
  return revision;
}

interface Place {
  readonly revision: number;
  readonly from: string;
  readonly limit: number;
  /** True for the first page of the current state. */
  readonly isLatest: boolean;
}

/** Decides the revision and position to read from, based on resourceVersion, match, limit and continue. */
async function place(
  context: RegistryContext,
  resource: ServedResource,
  prefix: string,
  request: ListRequest,
): Promise<Place> {
  const { store } = context.services;
  const token = request.continueToken === "" ? undefined : decodeContinue(request.continueToken);
  if (token === undefined && request.continueToken !== "")
    throw badRequest("invalid continue token: continue key is not valid");
  if (token !== undefined && !["", "0"].includes(request.resourceVersion))
    throw badRequest("specifying resource version is not allowed when using continue");
  const requestedRevision = listResourceVersion(request.resourceVersion);
  const fromCache = request.resourceVersion === "0" && !resource.uncached;
  const limit = fromCache ? 0 : request.limit;
  if (token !== undefined) {
    const from = prefix + token.start;
    const isLatest = false;
    if (token.revision < 0) return { revision: store.revision, from, limit, isLatest };
    if (token.revision < store.compactedRevision) {
      const failed = expired(tooOldContinue);
      throw new ApiFailure({
        ...failed.status,
        metadata: { continue: encodeContinue({ revision: -1, start: token.start }) },
      });
    }
    if (token.revision > store.revision) await waitForRevision(context, resource, token.revision);
    return { revision: token.revision, from, limit, isLatest };
  }
  if (requestedRevision === 0) return { revision: store.revision, from: prefix, limit, isLatest: true };
  // A list of a single name isn't paginated, so a limit doesn't turn its version into an exact one.
  const single = request.fields.name !== undefined && (!resource.namespaced || prefix !== "");
  const exact = request.match === "Exact" || (request.match === "" && limit > 0 && !single);
  // The watch cache delegates this case to the store as well.
  await waitForRevision(
    context,
    resource,
    requestedRevision,
    !resource.uncached && !(single && (exact || (limit > 0 && request.match === ""))),
  );
  if (!exact) return { revision: store.revision, from: prefix, limit, isLatest: true };
  if (requestedRevision < store.compactedRevision) throw expired(tooOldList);
  return { revision: requestedRevision, from: prefix, limit, isLatest: false };
}

/** Reads one page of a collection, prepared for reading in the resource's version. */
export async function listPage(
  context: RegistryContext,
  resource: ServedResource,
  namespace: string,
  request: ListRequest,
): Promise<Page> {
  const bucket = context.services.store.bucket(resource.bucket);
  const prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
  const { revision, from, limit, isLatest } = await place(context, resource, prefix, request);
  const selecting = !request.labels.empty || !request.fields.empty || request.shard !== undefined;
  let low = from;
  let high = prefixEnd(prefix);
  // A selector on the namespace or name narrows the range of keys.
  if (
    resource.namespaced &&
    prefix === "" &&
    request.fields.namespace !== undefined &&
    !request.fields.namespace.includes("/")
  ) {
    const narrow = `${request.fields.namespace}/`;
    if (narrow > low) low = narrow;
    high = prefixEnd(narrow);
  }
  // A selector on the name selects a single key.
  const only = request.fields.name;
  const inNamespace = resource.namespaced ? (prefix !== "" ? namespace : request.fields.namespace) : "";
  if (only !== undefined && inNamespace !== undefined && only !== "") {
    const key = resource.namespaced ? `${inNamespace}/${only}` : only;
    if (key > low) low = key;
    high = `${key}\u0000`;
  }
  const { converter } = resource;
  // Selectors apply to labels and fields of the requested version.
  if (converter !== undefined && selecting) await converter.prepare(bucket.versions(low, high, revision));
  const indexed = isLatest ? indexedValue(resource, request) : undefined;
  const versions: Version[] = [];
  let next = "";
  bucket.scan(low, high, revision, (version) => {
    const attributes = selecting ? attributesOf(resource, version) : undefined;
    if (indexed !== undefined && attributes?.fields[indexed.field] !== indexed.value) return undefined;
    if (limit > 0 && versions.length === limit) {
      const last = versions[versions.length - 1]!;
      next = encodeContinue({ revision, start: `${last.key.slice(prefix.length)}\u0000` });
      return false;
    }
    const isSelected =
      attributes === undefined ||
      (request.labels.matches(attributes.labels) &&
        request.fields.matches(attributes.fields) &&
        request.shard?.matches(attributes) !== false);
    if (isSelected) versions.push(version);
    return undefined;
  });
  if (converter !== undefined && !selecting) await converter.prepare(versions);
  const remaining = next === "" || selecting ? undefined : bucket.count(low, high, revision) - versions.length;
  return { versions, revision, next, remaining };
}

/** Returns the value that a list selects of the field that the watch cache indexes, if any. */
function indexedValue(
  { strategy, uncached }: ServedResource,
  { fields }: ListRequest,
): { readonly field: string; readonly value: string } | undefined {
  const field = uncached ? undefined : strategy.indexedField;
  if (field === undefined) return undefined;
  const value = fields.requirements?.find(({ key, operator }) => key === field && operator === "=")?.values[0];
  return value === undefined ? undefined : { field, value };
}
