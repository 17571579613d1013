import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { utf8Encode } from "../../internal/bytes.js";
import { getStored } from "../admission/stored.js";
import type { RequestContext } from "../core.js";
import type { ServerResponse } from "../http.js";
import { formatTime, metaOf } from "../registry/metadata.js";
import { readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import type { FieldError } from "../schema/field-error.js";
import { getVersion } from "../registry/write.js";
import { negotiateFor, offerOf, respondPlain } from "../respond.js";
import { badRequest, conflict, notFound, throwInvalid } from "../status.js";
import { decodeKind, readBody, requestEncoding } from "./body.js";
import { inputsOf } from "./write.js";
import { parseWriteOptions } from "./write-options.js";

const shortest = 600;
const longest = 4_294_967_296;
const usual = 3600;

function encodePart(value: object): string {
  let binary = "";
  for (const byte of utf8Encode(JSON.stringify(value))) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

interface BoundObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

const boundKinds: Readonly<Record<string, string>> = { Pod: "pods", Secret: "secrets", Node: "nodes" };

/** A token lives with an object: a pod of the account, a secret or a node. Throws 400, 404 and 409. */
function checkBound({ core }: RequestContext, namespace: string, account: string, { apiVersion = "", kind = "", name = "", uid = "" }: BoundObject): void {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const resource = group === "" && Object.hasOwn(boundKinds, kind) ? boundKinds[kind]! : undefined;
  if (resource === undefined) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const object = getStored(core, `/${resource}`, resource === "nodes" ? name : `${namespace}/${name}`);
  if (object === undefined) throw notFound({ group: "", resource }, name);
  const runsAs = (object["spec"] as { serviceAccountName?: string } | undefined)?.serviceAccountName ?? "";
  if (resource === "pods" && runsAs !== account) throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`);
  if (uid !== "" && uid !== object.metadata?.uid) throw conflict({ group, resource: kind }, name, `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`);
}

/** What a token tells of its user: its own id, and the object it lives with. */
function extraOf(id: string, { kind, name = "", uid = "" }: BoundObject): Record<string, string[]> {
  const of = kind === "Pod" || kind === "Node" ? kind.toLowerCase() : "";
  return {
    "authentication.kubernetes.io/credential-id": [`JTI=${id}`],
    ...(of === "" ? {} : { [`authentication.kubernetes.io/${of}-name`]: [name], ...(uid === "" ? {} : { [`authentication.kubernetes.io/${of}-uid`]: [uid] }) }),
  };
}

const requestKinds = new WeakMap<ServedResource, ServedResource>();

/** What is written to the end point, as far as its fields have owners. */
function requestKind(resource: ServedResource): ServedResource {
  let found = requestKinds.get(resource);
  if (found === undefined) {
    const type = { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
    requestKinds.set(resource, (found = { ...resource, ...type, definition: definitionNameOf(type.group, type.version, type.kind)! }));
  }
  return found;
}

/** POST of a TokenRequest: a token for a service account that lasts for a while. */
export async function handleToken(context: RequestContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const { core } = context;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false, false));
  const encoding = requestEncoding(context.request.header("content-type"), inputsOf(resource));
  const body = await readBody(context);
  const options = parseWriteOptions(context, "CreateOptions");
  const request = decodeKind(context, body, encoding, { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" }, options.fieldValidation);
  const given = metaOf(request).name ?? "";
  if (given !== "" && given !== pathName) throw badRequest(`metadata.name: Invalid value: ${JSON.stringify(given)}: must match the service account name if specified`);
  const account = readObject(resource, getVersion(context, resource, namespace, pathName));
  const spec = (request.spec ?? {}) as { audiences?: string[] | null; expirationSeconds?: number; boundObjectRef?: BoundObject | null };
  const seconds = spec.expirationSeconds ?? usual;
  const errors: FieldError[] = [];
  if (seconds < shortest) errors.push({ type: "FieldValueInvalid", field: "spec.expirationSeconds", value: seconds, detail: "may not specify a duration less than 10 minutes" });
  if (seconds > longest) errors.push({ type: "FieldValueInvalid", field: "spec.expirationSeconds", value: seconds, detail: "may not specify a duration larger than 2^32 seconds" });
  throwInvalid({ group: "authentication.k8s.io", kind: "TokenRequest" }, "", errors);
  if (spec.boundObjectRef != null) checkBound(context, namespace, pathName, spec.boundObjectRef);
  const audiences = (spec.audiences ?? []).length === 0 ? [core.serviceAccounts.issuer] : spec.audiences!;
  const now = core.clock.now();
  Object.assign(request, { spec: { ...spec, expirationSeconds: seconds } });
  await core.fieldManagement?.update({ resource: requestKind(resource), live: undefined, object: request, manager: options.manager, subresource: "token", nowMs: now });
  const { managedFields } = metaOf(request);
  const expiresMs = now + seconds * 1000;
  const { uid = "" } = metaOf(account);
  const seconds1 = Math.floor(now / 1000);
  const id = core.uuid();
  const token = [
    encodePart({ alg: "RS256", kid: "kubestream" }),
    encodePart({
      aud: audiences, exp: Math.floor(expiresMs / 1000), iat: seconds1, iss: core.serviceAccounts.issuer, jti: id, nbf: seconds1,
      "kubernetes.io": { namespace, serviceaccount: { name: pathName, uid } }, sub: `system:serviceaccount:${namespace}:${pathName}`,
    }),
    encodePart({ secret: core.uuid(), more: core.uuid() }),
  ].join(".");
  if (!options.dryRun) core.serviceAccounts.issue(token, { namespace, name: pathName, uid, audiences, expiresMs, extra: extraOf(id, spec.boundObjectRef ?? {}) });
  return respondPlain(negotiated, {
    kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1",
    metadata: { name: pathName, namespace, uid, creationTimestamp: account.metadata?.creationTimestamp, ...(managedFields === undefined ? {} : { managedFields }) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(expiresMs) },
  }, 201);
}
