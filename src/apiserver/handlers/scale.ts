import { customPrinter } from "../custom/columns.js";
import {
  ApiFailure,
  badRequest,
  beforeHandling,
  conflict,
  internalError,
  methodNotAllowed,
  notSupported,
  rawError,
  throwInvalid,
} from "../errors/status.js";
import type { ServerResponse } from "../http/http.js";
import { formatAge } from "../kinds/shared/print-age.js";
import type { Printer } from "../kinds/strategy.js";
import { managersAfterScale, scaleManagers } from "../managedfields/scale-managers.js";
import type { ApiObject } from "../objects/api-object.js";
import { copyJson, metaOf } from "../objects/metadata.js";
import { formatLabelSelector } from "../objects/selector-text.js";
import { readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { apiVersionOf } from "../registry/resources.js";
import { getVersion, updateObject } from "../registry/write.js";
import { decodeApplied, decodeFor, readBody, requestEncoding } from "../wire/body.js";
import { negotiateFor, offerOf, respondObject } from "../wire/respond.js";
import { parseWriteOptions } from "../wire/write-options.js";
import type { PreparedPatch } from "./patch.js";
import { patchedObject, patchFailure, patchKind, preparePatch } from "./patch.js";
import { reachAskedVersion } from "./read.js";
import type { HandlerContext } from "./services.js";
import { checkName, inputsOf } from "./write.js";

const scalePrinter: Printer = {
  columns: [
    { name: "Name", type: "string", format: "", description: "Name of the scaled object", priority: 0 },
    { name: "Desired", type: "integer", format: "", description: "Number of replicas that are wanted", priority: 0 },
    { name: "Available", type: "integer", format: "", description: "Number of replicas there are", priority: 0 },
    { name: "Age", type: "string", format: "", description: "Time since the creation", priority: 0 },
  ],
  cells(object, nowMs) {
    const { replicas = 0 } = (object.spec ?? {}) as { replicas?: number };
    const { replicas: current = 0 } = (object.status ?? {}) as { replicas?: number };
    return [object.metadata?.name ?? "", replicas, current, formatAge(object.metadata?.creationTimestamp, nowMs)];
  },
};

/** Scales of custom resources are printed by paths, as those are. */
const customScalePrinter = customPrinter([
  { name: "Desired", type: "integer", jsonPath: ".spec.replicas", description: "Number of desired replicas" },
  { name: "Available", type: "integer", jsonPath: ".status.replicas", description: "Number of actual replicas" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
]);

/** A Scale is served like an object of a kind of its own. */
function scaleKind(parent: ServedResource): ServedResource {
  const sub = parent.subresources.get("scale")!;
  return {
    group: sub.kind.group,
    version: sub.kind.version,
    resource: "scale",
    singular: "",
    kind: "Scale",
    listKind: "",
    namespaced: parent.namespaced,
    verbs: sub.verbs,
    shortNames: [],
    categories: [],
    patchTypes: [],
    subresources: new Map(),
    definition: "io.k8s.api.autoscaling.v1.Scale",
    strategy: { printer: parent.custom === undefined ? scalePrinter : customScalePrinter },
    bucket: parent.bucket,
    uncached: false,
  };
}

function pathOf(text: string): string[] {
  return text.replace(/^\./, "").split(".");
}

interface Paths {
  readonly replicas: readonly string[];
  readonly current: readonly string[];
  readonly selector: readonly string[] | undefined;
}

function pathsOf(resource: ServedResource): Paths {
  const scale = resource.custom?.scale;
  if (scale === undefined)
    return { replicas: ["spec", "replicas"], current: ["status", "replicas"], selector: undefined };
  return {
    replicas: pathOf(scale.specReplicasPath),
    current: pathOf(scale.statusReplicasPath),
    selector: scale.labelSelectorPath === undefined ? undefined : pathOf(scale.labelSelectorPath),
  };
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function setAt(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let target = object;
  for (const key of path.slice(0, -1)) {
    if (typeof target[key] !== "object" || target[key] === null) target[key] = {};
    target = target[key] as Record<string, unknown>;
  }
  target[path[path.length - 1]!] = value;
}

/** The paths of the replicas by version, as field management wants them. */
function replicasByVersion(context: HandlerContext, resource: ServedResource): ReadonlyMap<string, readonly string[]> {
  const paths = new Map<string, readonly string[]>();
  for (const other of context.services.resources.all()) {
    if (other.group === resource.group && other.resource === resource.resource)
      paths.set(apiVersionOf(other), pathsOf(other).replicas);
  }
  return paths;
}

/** The Scale of an object. Throws 500 where a custom resource that is only read has no replicas. */
function scaleOf(context: HandlerContext, resource: ServedResource, object: ApiObject, writing = false): ApiObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp, managedFields } = metaOf(object);
  const paths = pathsOf(resource);
  const replicas = valueAt(object, paths.replicas);
  if (typeof replicas !== "number" && resource.custom !== undefined && !writing)
    throw internalError(`the spec replicas field ${JSON.stringify(`.${paths.replicas.join(".")}`)} does not exist`);
  const current = valueAt(object, paths.current);
  const selector =
    resource.custom === undefined
      ? formatLabelSelector(valueAt(object, ["spec", "selector"]))
      : paths.selector === undefined
        ? undefined
        : valueAt(object, paths.selector);
  const managers = scaleManagers(managedFields, replicasByVersion(context, resource));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      ...(managers === undefined || managers.length === 0 ? {} : { managedFields: managers }),
    },
    spec: typeof replicas === "number" && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: typeof current === "number" ? current : 0,
      ...(typeof selector === "string" && selector !== "" ? { selector } : {}),
    },
  };
}

/** What stands in the Scale of a custom resource that has no replicas yet. */
const NO_REPLICAS = -2147483648;

/** What is answered: the owners of the fields are those of the object. */
function shownScale(scale: ApiObject): ApiObject {
  const { managedFields: _managed, ...metadata } = scale.metadata ?? {};
  return { ...scale, metadata };
}

/** GET, PUT and PATCH of a Scale. */
export async function handleScale(context: HandlerContext, resource: ServedResource): Promise<ServerResponse> {
  const { namespace, pathName } = context.info;
  const { method } = context.request;
  const kind = scaleKind(resource);
  if (method === "GET") {
    const negotiated = negotiateFor(context, resource, offerOf(resource, false));
    await reachAskedVersion(context, resource);
    const version = getVersion(context, resource, namespace, pathName);
    await resource.converter?.prepare([version], true);
    return respondObject(
      context,
      negotiated,
      kind,
      shownScale(scaleOf(context, resource, readObject(resource, version))),
    );
  }
  if (method !== "PUT" && method !== "PATCH")
    throw resource.custom === undefined
      ? methodNotAllowed()
      : beforeHandling(notSupported(resource, context.info.verb));
  const patch =
    method === "PATCH" ? patchKind(context.request.header("content-type"), resource.custom !== undefined) : undefined;
  const negotiated = negotiateFor(context, resource, offerOf(resource, false));
  const body = await readBody(context);
  const options = parseWriteOptions(
    context,
    patch === undefined ? "UpdateOptions" : "PatchOptions",
    patch === undefined ? undefined : patch.kind === "apply" ? "apply" : "other",
  );
  const encoding =
    patch === undefined ? requestEncoding(context.request.header("content-type"), inputsOf(resource)) : patch.encoding;
  if (patch !== undefined) context.audit?.requestPatch(body);
  const management = context.services.fieldManagement;
  const paths = pathsOf(resource);
  const put = patch === undefined ? readScale() : undefined;
  if (put !== undefined) checkName(put, kind, namespace, pathName);
  const change = scaleChange();
  const written = await updateObject(context, {
    resource,
    namespace,
    name: pathName,
    subresource: "scale",
    unconditional: true,
    managed: true,
    uid: put?.metadata?.uid,
    options: { dryRun: options.dryRun, manager: options.manager, raw: options.raw },
    async transform(existing) {
      const live = scaleOf(context, resource, existing!, true);
      // A custom resource without replicas must be given some.
      const lacking = resource.custom !== undefined && typeof valueAt(existing, paths.replicas) !== "number";
      if (lacking) live.spec = { replicas: NO_REPLICAS };
      const scale = await change(live);
      if (lacking && (scale.spec as { replicas?: number } | undefined)?.replicas === NO_REPLICAS)
        throw badRequest(`the spec replicas field ${JSON.stringify(`.${paths.replicas.join(".")}`)} cannot be empty`);
      const replicas = (scale.spec as { replicas?: number } | undefined)?.replicas ?? 0;
      if (replicas < 0 && resource.custom === undefined)
        throwInvalid({ group: "autoscaling", kind: "Scale" }, pathName, [
          {
            type: "FieldValueInvalid",
            field: "spec.replicas",
            value: replicas,
            detail: "must be greater than or equal to 0",
          },
        ]);
      const uid = metaOf(scale).uid;
      // Of a patched Scale of a custom resource nobody asks whose it is.
      if (resource.custom === undefined && uid !== undefined && uid !== "" && uid !== existing!.metadata?.uid)
        throw conflict(
          { group: resource.group, resource: `${resource.resource}/scale` },
          pathName,
          `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing!.metadata?.uid ?? ""}`,
        );
      const object = copyJson(existing!);
      if (replicas === 0 && valueAt(object, paths.replicas) === undefined) setAt(object, paths.replicas, 0);
      else setAt(object, paths.replicas, replicas);
      const meta = metaOf(object);
      const expectedVersion = metaOf(scale).resourceVersion ?? "";
      meta.resourceVersion =
        expectedVersion === "" || expectedVersion === "0" ? existing!.metadata!.resourceVersion! : expectedVersion;
      if (meta.managedFields !== undefined || metaOf(scale).managedFields !== undefined) {
        const managers = managersAfterScale(
          meta.managedFields,
          metaOf(scale).managedFields,
          apiVersionOf(resource),
          replicasByVersion(context, resource),
        );
        if (managers === undefined) delete meta.managedFields;
        else meta.managedFields = managers;
      }
      return object;
    },
  });
  return respondObject(context, negotiated, kind, shownScale(scaleOf(context, resource, written.object)));

  function readScale(): ApiObject {
    try {
      return decodeFor(context, kind, body, encoding, options.fieldValidation);
    } catch (error) {
      // The server of custom resources does not know the kind by which it would tell what is wrong.
      if (resource.custom !== undefined && error instanceof ApiFailure)
        throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"');
      throw error;
    }
  }

  function scaleChange(): (live: ApiObject) => Promise<ApiObject> {
    const tracked = async (live: ApiObject, scale: ApiObject): Promise<ApiObject> => {
      await management.update({
        resource: kind,
        live,
        object: scale,
        manager: options.manager,
        subresource: "scale",
        nowMs: context.services.clock.now(),
      });
      return scale;
    };
    if (patch === undefined) return (live) => tracked(live, copyJson(put!));
    if (patch.kind === "apply") {
      const { config, report } = decodeApplied(context, body, encoding, options.fieldValidation);
      return async (live) => {
        // A real server cannot bring what was there before the first apply into the version of the custom resource.
        if (
          resource.custom !== undefined &&
          config["apiVersion"] === "autoscaling/v1" &&
          config["kind"] === "Scale" &&
          (metaOf(live).managedFields ?? []).length === 0
        ) {
          throw rawError(
            "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1",
          );
        }
        const scale = await management.apply({
          resource: kind,
          live,
          config: copyJson(config),
          manager: options.manager,
          force: options.force === true,
          subresource: "scale",
          nowMs: context.services.clock.now(),
        });
        report();
        if (resource.custom !== undefined) throw internalError("failed to convert new object");
        checkName(scale, kind, namespace, pathName);
        return scale;
      };
    }
    let prepared: PreparedPatch | undefined;
    const patchType = patch.kind;
    return async (live) => {
      try {
        prepared ??= preparePatch(context, kind, patchType, body, options.fieldValidation);
        return await tracked(
          live,
          patchedObject(context, copyJson(live), prepared, kind, namespace, pathName, options.fieldValidation),
        );
      } catch (error) {
        throw patchFailure(error);
      }
    };
  }
}
