import type { DynamicObject } from "../client/resource/collection-handle.js";
import type { Discovery } from "../discovery/discovery.js";
import { KubestreamError } from "../errors/kubestream-error.js";
import type { ManifestOutcome } from "../errors/manifests-error.js";
import { type Clock, sleep } from "../internal/clock.js";
import type { RequestOptions } from "../meta/options.js";

/** Milliseconds between two reads of the server's discovery. */
const pollEveryMs = 200;

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly served: boolean }[];
}

/** Options for `awaitDefinitions`. */
export interface AwaitDefinitionsOptions {
  readonly discovery: Discovery;
  readonly dependencyTimeoutMs: number;
  readonly clock: Clock;
}

/**
 * Waits until the server serves the applied CustomResourceDefinitions, and returns the outcomes. A definition that isn't
 * served in time gets the outcome `failed`.
 */
export async function awaitDefinitions(
  outcomes: readonly ManifestOutcome[],
  { discovery, dependencyTimeoutMs, clock }: AwaitDefinitionsOptions,
  request: RequestOptions,
): Promise<ManifestOutcome[]> {
  const deadline = clock.monotonic() + dependencyTimeoutMs;
  const checked: ManifestOutcome[] = [];
  for (const outcome of outcomes) {
    const kinds = outcome.outcome === "failed" ? [] : definedKinds(outcome);
    let missing: string | undefined;
    for (const { apiVersion, kind } of kinds) {
      let found = await discovery.find({ apiVersion, kind }, request);
      while (found === undefined && clock.monotonic() < deadline) {
        await sleep(pollEveryMs, clock, request.signal);
        found = await discovery.find({ apiVersion, kind }, request);
      }
      if (found === undefined) missing ??= `${apiVersion} ${kind}`;
    }
    checked.push(
      missing === undefined
        ? outcome
        : {
            ...outcome,
            outcome: "failed",
            error: new KubestreamError(
              `CustomResourceDefinition ${JSON.stringify(outcome.name)} was applied, but the server doesn't serve ${missing} after ${dependencyTimeoutMs} ms`,
            ),
          },
    );
  }
  return checked;
}

/** Returns the kinds that a definition serves, none for other objects. */
function definedKinds({ kind, apiVersion, object }: ManifestOutcome): { apiVersion: string; kind: string }[] {
  if (kind !== "CustomResourceDefinition" || apiVersion !== "apiextensions.k8s.io/v1" || object === undefined)
    return [];
  const { group, names, versions } = (object as DynamicObject)["spec"] as DefinitionSpec;
  return versions
    .filter(({ served }) => served)
    .map(({ name }) => ({ apiVersion: `${group}/${name}`, kind: names.kind }));
}
