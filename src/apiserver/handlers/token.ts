import { definitionNameOf } from "../../gen/openapi/definitions.js";
import type { AccountClaims, TokenReference } from "../authentication/authenticators/service-account-tokens.js";
import { type FieldError, invalidField } from "../errors/field-error.js";
import { badRequest, conflict, notFound, throwInvalid } from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import type { ApiObject } from "../objects/api-object.js";
import { formatTime, metaOf } from "../objects/metadata.js";
import { getVersion, readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { getStored } from "../registry/stored-objects.js";
import { dropDuplicateOwners } from "../registry/write/owners.js";
import { respondObject } from "../wire/respond.js";
import { admitRequest } from "./admit-request.js";
import { readPosted, trackPosted } from "./posted-body.js";
import type { HandlerContext } from "./services.js";
import { checkNamespace } from "./write.js";

const shortest = 600;
const longest = 4_294_967_296;
const usual = 3600;
/** Lifetime in seconds that kubelets request; such tokens may be extended. */
const replaced = 3607;
const year = 365 * 24 * 3600;

interface BoundObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

const boundKinds: Readonly<Record<string, string>> = { Pod: "pods", Secret: "secrets", Node: "nodes" };

const idOf = ({ metadata }: ApiObject): TokenReference => ({ name: metadata?.name ?? "", uid: metadata?.uid ?? "" });

/**
 * Finds the object that the token is bound to: a pod of the account with its node, a secret or a node. Throws 400, 404
 * and 409.
 */
function boundTo(
  { services }: HandlerContext,
  namespace: string,
  account: string,
  { apiVersion = "", kind = "", name = "", uid = "" }: BoundObject,
): Pick<AccountClaims, "pod" | "secret" | "node"> {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const resource = group === "" && Object.hasOwn(boundKinds, kind) ? boundKinds[kind]! : undefined;
  if (resource === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (name === "") throw badRequest("Name parameter required.");
  const object = getStored(services, `/${resource}`, resource === "nodes" ? name : `${namespace}/${name}`);
  if (object === undefined) throw notFound({ group: "", resource }, name);
  const { serviceAccountName = "", nodeName = "" } =
    (object["spec"] as { serviceAccountName?: string; nodeName?: string } | undefined) ?? {};
  if (resource === "pods" && serviceAccountName !== account)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  if (uid !== "" && uid !== object.metadata?.uid)
    throw conflict(
      { group, resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (resource === "secrets") return { secret: idOf(object) };
  if (resource === "nodes") return { node: idOf(object) };
  const node = nodeName === "" ? undefined : getStored(services, "/nodes", nodeName);
  return {
    pod: idOf(object),
    ...(nodeName === "" ? {} : { node: node === undefined ? { name: nodeName } : idOf(node) }),
  };
}

const requestType = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };

const requestKinds = new WeakMap<ServedResource, ServedResource>();

/** Returns the resource that represents the token endpoint, for field management. */
function requestKind(resource: ServedResource): ServedResource {
  let found = requestKinds.get(resource);
  if (found === undefined) {
    const { group, version, kind } = requestType;
    found = { ...resource, ...requestType, definition: definitionNameOf(group, version, kind)! };
    requestKinds.set(resource, found);
  }
  return found;
}

interface TokenRequest extends ApiObject {
  spec?: TokenRequestSpec;
}

interface TokenRequestSpec {
  readonly audiences?: readonly string[] | null;
  readonly expirationSeconds?: number | null;
  readonly boundObjectRef?: BoundObject | null;
}

/** Throws 422 for a lifetime that tokens can't have. */
function checkLifetime(seconds: number): void {
  const errors: FieldError[] = [];
  const field = "spec.expirationSeconds";
  if (seconds < shortest) errors.push(invalidField(field, seconds, "may not specify a duration less than 10 minutes"));
  if (seconds > longest)
    errors.push(invalidField(field, seconds, "may not specify a duration larger than 2^32 seconds"));
  throwInvalid(requestType, "", errors);
}

/** Completes a request. Returns its service account. Throws 404, 409 and 422. */
function complete(context: HandlerContext, resource: ServedResource, request: TokenRequest, nowMs: number): ApiObject {
  const { namespace, pathName } = context.info;
  const given = metaOf(request);
  if ((given.name ?? "") !== "" && given.name !== pathName)
    throwInvalid(requestType, pathName, [
      invalidField("metadata.name", given.name, "must match the service account name if specified"),
    ]);
  const account = readObject(resource, getVersion(context, resource, namespace, pathName));
  const { uid = "" } = metaOf(account);
  if ((given.uid ?? "") !== "" && given.uid !== uid)
    throw conflict(
      { group: requestType.group, resource: requestType.kind },
      pathName,
      `the UID in the token request (${given.uid!}) does not match the UID of the service account (${uid})`,
    );
  const { audiences, expirationSeconds, boundObjectRef = null } = request.spec ?? {};
  const seconds = expirationSeconds ?? usual;
  request.metadata = { ...given, name: pathName, namespace, uid, creationTimestamp: formatTime(nowMs) };
  request.spec = {
    audiences: (audiences ?? []).length === 0 ? [context.services.serviceAccounts.issuer] : audiences!,
    expirationSeconds: seconds,
    boundObjectRef,
  };
  delete request.status;
  checkLifetime(seconds);
  return account;
}

/** Claims of a token to issue. */
interface TokenClaims {
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly bound: ReturnType<typeof boundTo>;
}

async function issueToken(
  { services, info, audit }: HandlerContext,
  account: ApiObject,
  { audiences, seconds, bound }: TokenClaims,
  nowMs: number,
): Promise<string> {
  const issued = Math.floor(nowMs / 1000);
  // A pod's token of the usual length is valid for a year: a client that doesn't rotate it causes warnings, not errors.
  const lasting =
    "pod" in bound &&
    seconds === replaced &&
    audiences.every((audience) => audience === services.serviceAccounts.issuer);
  const id = services.uuid();
  const token = await services.serviceAccounts.issue({
    id,
    audiences: [...audiences],
    issued,
    expires: issued + (lasting ? year : seconds),
    account: {
      namespace: info.namespace,
      serviceaccount: idOf(account),
      ...bound,
      ...(lasting ? { warnafter: issued + seconds } : {}),
    },
  });
  audit?.annotate("authentication.kubernetes.io/issued-credential-id", `JTI=${id}`);
  return token;
}

/** Handles POST of a TokenRequest, which issues a token for a service account. */
export async function handleToken(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const { services } = context;
  const { options, negotiated, ...posted } = await readPosted(context, resource, requestType);
  const object: TokenRequest = posted.object;
  checkNamespace(object, resource, namespace);
  object.spec = { ...object.spec, expirationSeconds: object.spec?.expirationSeconds ?? usual };
  dropDuplicateOwners(context, object);
  const nowMs = services.clock.now();
  const kind = requestKind(resource);
  const { dryRun, manager, raw } = options;
  await trackPosted(context, { resource: kind, subresource: "token", object, manager, nowMs });
  const request = { operation: "CREATE", resource, object, dryRun, options: raw } as const;
  const account = await admitRequest(context, request, () => complete(context, resource, object, nowMs));
  const { audiences, expirationSeconds, boundObjectRef } = object.spec;
  const seconds = expirationSeconds!;
  const bound = boundObjectRef == null ? {} : boundTo(context, namespace, pathName, boundObjectRef);
  const token = await issueToken(context, account, { audiences: audiences!, seconds, bound }, nowMs);
  return respondObject(
    context,
    { resource: kind, negotiated },
    {
      kind: requestType.kind,
      apiVersion: apiVersionOf(requestType),
      metadata: metaOf(object),
      spec: object.spec,
      status: { token, expirationTimestamp: formatTime(nowMs + seconds * 1000) },
    },
    201,
  );
}
