import type { FieldError } from "../errors/field-error.js";
import { forbiddenField, unsupportedField } from "../errors/field-error.js";
import { badRequest, throwInvalid } from "../errors/status.js";
import { booleanParameter } from "../http/request-info.js";
import type { FieldSelector, Selector } from "../objects/selectors.js";
import { parseFieldSelector, parseLabelSelector } from "../objects/selectors.js";
import type { ShardSelector } from "../objects/shard-selector.js";
import { parseShardSelector } from "../objects/shard-selector.js";
import type { ServedResource } from "./resources.js";

/** Options of a list, watch or deletecollection. */
export interface ListRequest {
  readonly labels: Selector;
  readonly fields: FieldSelector;
  readonly resourceVersion: string;
  readonly match: string;
  /** 0 means no limit. */
  readonly limit: number;
  readonly continueToken: string;
  readonly watch: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  /** Shard to list, if one is requested. */
  readonly shard: ShardSelector | undefined;
}

const maxInt64 = 9_223_372_036_854_775_807n;

/** Parses an integer parameter the way Go's query conversion does. Throws 400. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, "")) : undefined;
  if (value === undefined || value > maxInt64 || value < -maxInt64 - 1n)
    throw badRequest(
      `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${value === undefined ? "invalid syntax" : "value out of range"}`,
    );
  return Number(value);
}

/** Returns the values of the fields that selectors can use. */
export function fieldsOf(
  resource: ServedResource,
  object: { metadata?: { name?: string | undefined; namespace?: string | undefined } | undefined },
): Record<string, string> {
  return {
    "metadata.name": object.metadata?.name ?? "",
    ...(resource.namespaced ? { "metadata.namespace": object.metadata?.namespace ?? "" } : {}),
    ...resource.strategy.selectableFields?.(object),
  };
}

function knownFields(resource: ServedResource): (field: string) => string | undefined {
  const selectsNamespace = resource.strategy.selectsNamespace !== false;
  let extra: Set<string> | undefined;
  return (field) => {
    if (field === "metadata.name" || (field === "metadata.namespace" && selectsNamespace)) return undefined;
    extra ??= new Set(Object.keys(resource.strategy.selectableFields?.({ metadata: {} }) ?? {}));
    if (extra.has(field)) return undefined;
    if (resource.strategy.selectableFields !== undefined) return `field label not supported: ${field}`;
    return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  };
}

/** Parses and validates the options of a list or watch. Throws 400 and 422. */
export function parseListRequest(
  query: URLSearchParams,
  resource: ServedResource,
  path: { readonly name: string; readonly forceWatch: boolean },
): ListRequest {
  const limit = integerParameter(query, "limit");
  const timeoutSeconds = integerParameter(query, "timeoutSeconds");
  const watch = booleanParameter(query.get("watch"));
  const resourceVersion = query.get("resourceVersion") ?? "";
  let match = query.get("resourceVersionMatch") ?? "";
  const continueToken = query.get("continue") ?? "";
  let sendInitialEvents = query.has("sendInitialEvents") ? booleanParameter(query.get("sendInitialEvents")) : undefined;
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  const fieldText = query.get("fieldSelector") ?? "";
  parseFieldSelector(fieldText, () => undefined);
  const { initialEvents, shards } = resource.listing ?? { initialEvents: true, shards: true };
  if (
    initialEvents &&
    watch &&
    sendInitialEvents === undefined &&
    match === "" &&
    (resourceVersion === "" || resourceVersion === "0")
  ) {
    sendInitialEvents = true;
    match = "NotOlderThan";
  }
  throwInvalid(
    { group: "meta.k8s.io", kind: "ListOptions" },
    "",
    watch
      ? watchErrors(match, sendInitialEvents, continueToken, initialEvents)
      : listErrors(match, resourceVersion, continueToken, sendInitialEvents),
  );
  let fields = parseFieldSelector(fieldText, knownFields(resource));
  if (path.name !== "") {
    if (!fields.empty) {
      if (fields.name !== path.name) throw badRequest("fieldSelector metadata.name doesn't match requested name");
    } else
      fields = {
        ...parseFieldSelector("", () => undefined),
        empty: false,
        name: path.name,
        matches: (values) => values["metadata.name"] === path.name,
      };
  }
  return {
    labels,
    fields,
    resourceVersion,
    match,
    limit: Math.max(0, limit ?? 0),
    continueToken,
    watch: watch || path.forceWatch,
    timeoutSeconds,
    bookmarks: booleanParameter(query.get("allowWatchBookmarks")),
    sendInitialEvents,
    shard: parseShardSelector(shards ? (query.get("shardSelector") ?? "") : ""),
  };
}

function listErrors(
  match: string,
  resourceVersion: string,
  continueToken: string,
  sendInitialEvents: boolean | undefined,
): FieldError[] {
  const errors: FieldError[] = [];
  const field = "resourceVersionMatch";
  if (match !== "") {
    if (resourceVersion === "")
      errors.push(forbiddenField(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (continueToken !== "")
      errors.push(forbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(unsupportedField(field, match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && resourceVersion === "0")
      errors.push(forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (sendInitialEvents !== undefined)
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return errors;
}

function watchErrors(
  match: string,
  sendInitialEvents: boolean | undefined,
  continueToken: string,
  initialEvents: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const field = "resourceVersionMatch";
  if (sendInitialEvents !== undefined && match !== "NotOlderThan")
    errors.push(forbiddenField(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  if (sendInitialEvents !== undefined && !initialEvents)
    errors.push(
      forbiddenField(
        "sendInitialEvents",
        "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
      ),
    );
  if (match !== "") {
    if (sendInitialEvents === undefined)
      errors.push(
        forbiddenField(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
      );
    if (match !== "NotOlderThan") errors.push(unsupportedField(field, match, ["NotOlderThan"]));
    if (continueToken !== "")
      errors.push(forbiddenField(field, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return errors;
}
