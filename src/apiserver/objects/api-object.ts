import type { KubernetesObject } from "../../meta/object.js";

/** An API object as the server handles it: plain JSON data. */
export type ApiObject = KubernetesObject & Record<string, unknown>;
