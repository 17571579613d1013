import type { ApiObject } from "../../objects/api-object.js";
import { copyJson } from "../../objects/metadata.js";
import type { ValidationHooks } from "../shared/kind-definition.js";
import type { VersionConversion } from "../shared/storage-rules.js";

/** Makes rules that are written for v1 accept objects of v1beta1, too: a copy of each is converted first. */
export function rulesOfV1<T>(
  conversion: VersionConversion,
  { create, update, status, ...rest }: ValidationHooks<T>,
): ValidationHooks<T> {
  const inV1 = (object: T): T => {
    if ((object as ApiObject).apiVersion !== "resource.k8s.io/v1beta1") return object;
    const copy = copyJson(object);
    conversion.toStorage(copy as ApiObject);
    return copy;
  };
  return {
    ...rest,
    create: (object, context) => create(inV1(object), context),
    ...(update && { update: (object, old) => update(inV1(object), inV1(old)) }),
    ...(status && { status: (object, old, context) => status(inV1(object), inV1(old), context) }),
  };
}
