import type { KubernetesObject } from "../../meta/object.js";

/** An API object as plain JSON data. */
export type ApiObject = KubernetesObject & Record<string, unknown>;
