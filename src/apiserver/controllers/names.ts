import { equalJson } from "../internal/json-value.js";
import {
  type Definition,
  type DefinitionCondition,
  type DefinitionNames,
  findCondition,
  setCondition,
} from "../kinds/apiextensions/definition.js";

/**
 * Accepts the names that a definition requests, unless another one of the group has them, and sets its conditions, in
 * place. Returns true if anything changed.
 */
export function acceptNames(definition: Definition, others: readonly Definition[], time: string): boolean {
  const requested = definition.spec.names;
  const accepted: DefinitionNames = definition.status?.acceptedNames ?? { plural: "", kind: "" };
  if (equalJson(requested, accepted) && findCondition(definition, "NamesAccepted") !== undefined) return false;
  const { names, condition } = resolveNames(requested, accepted, others);
  const old = findCondition(definition, "NamesAccepted");
  if (
    equalJson(names, accepted) &&
    old?.status === condition.status &&
    old.reason === condition.reason &&
    old.message === condition.message
  )
    return false;
  (definition.status ??= {}).acceptedNames = names;
  setCondition(definition, condition, time);
  const established = findCondition(definition, "Established");
  if (established?.status !== "True") {
    const ready = condition.status === "True";
    setCondition(
      definition,
      {
        type: "Established",
        status: "False",
        reason: ready ? "Installing" : "NotAccepted",
        message: ready ? "the initial names have been accepted" : "not all names are accepted",
      },
      time,
    );
  }
  return true;
}

function resolveNames(
  requested: DefinitionNames,
  accepted: DefinitionNames,
  others: readonly Definition[],
): { names: DefinitionNames; condition: DefinitionCondition } {
  const resources = new Set<string | undefined>();
  const kinds = new Set<string | undefined>();
  for (const { status } of others) {
    const taken = status?.acceptedNames;
    for (const name of [taken?.plural, taken?.singular, ...(taken?.shortNames ?? [])]) resources.add(name);
    for (const name of [taken?.kind, taken?.listKind]) kinds.add(name);
  }
  const names: DefinitionNames = { ...accepted };
  let conflict: { reason: string; message: string } | undefined;
  const take = (
    key: "plural" | "singular" | "kind" | "listKind",
    taken: ReadonlySet<string | undefined>,
    reason: string,
  ): void => {
    const name = requested[key] ?? "";
    if (name !== (accepted[key] ?? "") && taken.has(name))
      conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
    else if (name !== "") names[key] = name;
  };
  take("plural", resources, "PluralConflict");
  take("singular", resources, "SingularConflict");
  const clashes = (requested.shortNames ?? []).filter(
    (name) => !(accepted.shortNames ?? []).includes(name) && resources.has(name),
  );
  if (clashes.length > 0) {
    const texts = clashes.map((name) => `${JSON.stringify(name)} is already in use`);
    conflict = { reason: "ShortNamesConflict", message: texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]` };
  } else if (requested.shortNames === undefined) delete names.shortNames;
  else names.shortNames = requested.shortNames;
  take("kind", kinds, "KindConflict");
  take("listKind", kinds, "ListKindConflict");
  if (requested.categories === undefined) delete names.categories;
  else names.categories = requested.categories;
  return {
    names,
    condition:
      conflict === undefined
        ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
        : { type: "NamesAccepted", status: "False", ...conflict },
  };
}
