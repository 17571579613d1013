import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { PairRequest, ServerPair } from "../server-pair.js";

/** Attributes of an access review: verb and resource with its group, namespace and name, or verb and path. */
export interface Action {
  readonly verb: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
}

/** Asks both servers whether a user may do something, and returns the equal answer. */
export async function decide(
  pair: ServerPair,
  user: string,
  groups: readonly string[],
  { path, verb, ...resource }: Action,
): Promise<string> {
  const spec = {
    user,
    groups,
    ...(path === undefined ? { resourceAttributes: { verb, ...resource } } : { nonResourceAttributes: { verb, path } }),
  };
  const request: PairRequest = {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    json: { spec },
    ignore: ["/metadata", "/status/reason", "/status/evaluationError"],
  };
  expect([user, groups, path, verb, resource, await pair.compare(request)]).toEqual([
    user,
    groups,
    path,
    verb,
    resource,
    [],
  ]);
  const { status } = (await pair.own.send(request)).value as { status: { allowed: boolean; denied?: boolean } };
  return status.allowed ? "allowed" : status.denied === true ? "denied" : "no opinion";
}

/** Returns a function that writes a file into the folder, and returns its path. */
export const files =
  (folder: string) =>
  (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

/** Returns the attributes of a request for pods. */
export const pods = (verb: string, namespace = "team", more: Partial<Action> = {}): Action => ({
  verb,
  resource: "pods",
  namespace,
  ...more,
});
