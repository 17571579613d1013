import type { Authorizer, Decision } from "../rbac/authorizer.js";

/** Combines authorizers: the first one that allows or denies an action decides. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  const from = (
    index: number,
    attributes: Parameters<Authorizer["authorize"]>[0],
    before: readonly Decision[],
  ): ReturnType<Authorizer["authorize"]> => {
    const authorizer = authorizers[index];
    if (authorizer === undefined) return undecided(before);
    const proceed = (decision: Decision): ReturnType<Authorizer["authorize"]> =>
      decision.allowed || decision.denied === true ? decision : from(index + 1, attributes, [...before, decision]);
    const decision = authorizer.authorize(attributes);
    return decision instanceof Promise ? decision.then(proceed) : proceed(decision);
  };
  return {
    authorize: (attributes) => from(0, attributes, []),
    rulesFor(user, namespace) {
      const all = authorizers.map((authorizer) => authorizer.rulesFor(user, namespace));
      const errors = [...new Set(all.flatMap(({ error }) => error ?? []))];
      return {
        rules: all.flatMap(({ rules }) => rules),
        incomplete: all.some(({ incomplete }) => incomplete === true),
        ...(errors.length === 0 ? {} : { error: listed(errors) }),
      };
    },
  };
}

function undecided(decisions: readonly Decision[]): Decision {
  const errors = [...new Set(decisions.flatMap(({ error }) => error ?? []))];
  return {
    allowed: false,
    reason: decisions
      .map(({ reason }) => reason)
      .filter((reason) => reason !== "")
      .join("\n"),
    ...(errors.length === 0 ? {} : { error: listed(errors) }),
  };
}

function listed(errors: readonly string[]): string {
  return errors.length > 1 ? `[${errors.join(", ")}]` : errors[0]!;
}
