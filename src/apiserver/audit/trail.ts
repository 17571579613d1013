import { utf8Decode } from "../../internal/bytes.js";
import type { Clock } from "../../internal/clock.js";
import { handleRejection } from "../../internal/handle-rejection.js";
import { headerText } from "../../internal/header-text.js";
import { parseYaml } from "../../internal/yaml/yaml.js";
import type { AuditTrail } from "../http/audit-trail.js";
import type { RequestContext } from "../http/request-context.js";
import type { UserInfo } from "../http/user-info.js";
import { isJsonObject } from "../internal/json-value.js";
import { copyJson } from "../objects/metadata.js";
import type { AuditEvent, AuditObjectReference, AuditResponseStatus, AuditUser } from "./event.js";
import type { AuditDecision } from "./policy.js";

const longestAgent = 1024;

type AuditContext = RequestContext<{ readonly clock: Clock }>;

/** Creates the audit record of a request. */
export function createAuditTrail(
  context: AuditContext,
  decision: AuditDecision,
  sink: (event: AuditEvent) => unknown,
  identified = true,
): AuditTrail {
  const { request, info, services } = context;
  const { level, omitStages, omitManagedFields } = decision;
  const received = formatMicroTime(context.nowMs);
  const annotations: Record<string, string> = {};
  let objectRef: Record<string, string> | undefined = info.isResource
    ? named({
        resource: info.resource,
        namespace: info.namespace,
        name: info.name,
        apiGroup: info.group,
        apiVersion: info.version,
        subresource: info.subresource,
      })
    : undefined;
  let impersonatedUser: AuditUser | undefined;
  let impersonationConstraint = "";
  let requestObject: unknown;
  let responseObject: unknown;
  let responseStatus: AuditResponseStatus | undefined;
  const agent = request.header("user-agent") ?? "";
  const user = identified ? auditUser(context.user) : {};
  const sourceIPs = sourceAddresses(context);
  const wantsRequest = level === "Request" || level === "RequestResponse";
  const shown = (object: unknown): unknown => (omitManagedFields ? withoutManagedFields(object) : object);

  return {
    wantsResponse: level === "RequestResponse",
    annotate(key, value, least) {
      if (least === "Request" && !wantsRequest) return;
      // The first annotation of a key wins.
      if (!Object.hasOwn(annotations, key)) annotations[key] = value;
    },
    impersonated(target, constraint) {
      impersonationConstraint = constraint;
      impersonatedUser = auditUser(target);
    },
    requestObject(object) {
      const { metadata } = object as { metadata?: unknown };
      const meta = isJsonObject(metadata) ? metadata : {};
      const text = (key: string): string => (typeof meta[key] === "string" ? meta[key] : "");
      objectRef = {
        ...named({
          namespace: text("namespace"),
          name: text("name"),
          uid: text("uid"),
          resourceVersion: text("resourceVersion"),
        }),
        ...objectRef,
      };
      if (wantsRequest) requestObject = shown(copyJson(object));
    },
    requestPatch(bytes) {
      if (wantsRequest) requestObject = parsePatch(bytes);
    },
    response(status, code, body) {
      const { status: outcome, message, reason, details } = status ?? {};
      responseStatus = {
        metadata: {},
        ...named({ status: outcome ?? "", message: message ?? "", reason: reason ?? "" }),
        ...(details === undefined ? {} : { details }),
        code,
      };
      responseObject = body === undefined ? undefined : shown(body);
    },
    stage(stage) {
      if (omitStages.includes(stage)) return;
      const event: AuditEvent = {
        kind: "Event",
        apiVersion: "audit.k8s.io/v1",
        level,
        auditID: headerText(context.headers.find(([name]) => name === "Audit-Id")?.[1] ?? ""),
        stage,
        requestURI: request.query === "" ? request.path : `${request.path}?${request.query}`,
        verb: info.verb,
        user,
        ...(impersonatedUser === undefined ? {} : { impersonatedUser }),
        ...(impersonationConstraint === "" ? {} : { authenticationMetadata: { impersonationConstraint } }),
        ...(sourceIPs.length === 0 ? {} : { sourceIPs }),
        ...(agent === ""
          ? {}
          : { userAgent: agent.length > longestAgent ? `${agent.slice(0, longestAgent)}...TRUNCATED` : agent }),
        ...(objectRef === undefined ? {} : { objectRef: ordered(objectRef) }),
        ...(responseStatus === undefined ? {} : { responseStatus }),
        ...(requestObject === undefined ? {} : { requestObject }),
        ...(responseObject === undefined ? {} : { responseObject }),
        requestReceivedTimestamp: received,
        stageTimestamp: stage === "RequestReceived" ? received : formatMicroTime(services.clock.now()),
        ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
      };
      handleRejection(sink(event));
    },
  };
}

function formatMicroTime(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "000Z");
}

/** Returns the members that aren't empty. */
function named(members: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ""));
}

function ordered(reference: Readonly<Record<string, string>>): AuditObjectReference {
  const {
    resource = "",
    namespace = "",
    name = "",
    uid = "",
    apiGroup = "",
    apiVersion = "",
    resourceVersion = "",
    subresource = "",
  } = reference;
  return named({ resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource });
}

function auditUser({ name, uid, groups, extra }: UserInfo): AuditUser {
  return {
    ...named({ username: name, uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Returns the addresses of the client and its proxies, from `X-Forwarded-For` and similar headers. */
function sourceAddresses({ request }: AuditContext): string[] {
  const forwarded = (request.header("x-forwarded-for") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const real = request.header("x-real-ip")?.trim() ?? "";
  const addresses = [...forwarded];
  if (real !== "" && !addresses.includes(real)) addresses.push(real);
  const remote = request.remoteAddress?.replace(/^::ffff:/, "");
  if (remote !== undefined && addresses.at(-1) !== remote) addresses.push(remote);
  return addresses;
}

function parsePatch(bytes: Uint8Array): unknown {
  const text = utf8Decode(bytes);
  try {
    return parseYaml(text);
  } catch {
    return text; // The request is rejected later; the event shows what arrived.
  }
}

/** Removes managed fields from an object, the items of a list or the rows of a table. */
function withoutManagedFields(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { metadata, items, rows } = value;
  const result: Record<string, unknown> = { ...value };
  if (isJsonObject(metadata) && metadata["managedFields"] !== undefined) {
    const { managedFields: _dropped, ...rest } = metadata;
    result["metadata"] = rest;
  }
  if (Array.isArray(items)) result["items"] = items.map(withoutManagedFields);
  if (value["kind"] === "Table" && Array.isArray(rows))
    result["rows"] = rows.map((row: unknown) =>
      isJsonObject(row) ? { ...row, object: withoutManagedFields(row["object"]) } : row,
    );
  return result;
}
