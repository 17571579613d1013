import type { LabelSelector } from "../../meta/label-selector.js";

/** Formats a selector, with its requirements sorted by key; `""` without requirements. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  const parts = [
    ...Object.entries(selector?.matchLabels ?? {}).map(([key, value]): [string, string] => [key, `${key}=${value}`]),
    ...(selector?.matchExpressions ?? []).map(({ key, operator, values }): [string, string] => [
      key,
      requirement(key, operator, values ?? []),
    ]),
  ];
  return parts
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(",");
}

function requirement(key: string, operator: string, values: readonly string[]): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `!${key}`;
  return `${key} ${operator === "NotIn" ? "notin" : "in"} (${[...values].sort().join(",")})`;
}

/** True if a selector matches labels. An empty selector matches everything, a missing one nothing. */
export function selectorMatches(
  selector: LabelSelector | null | undefined,
  given: Readonly<Record<string, string>> | undefined,
): boolean {
  if (selector === undefined || selector === null) return false;
  const has = (key: string): boolean => given !== undefined && Object.hasOwn(given, key);
  const byLabel = Object.entries(selector.matchLabels ?? {}).every(
    ([key, value]) => has(key) && given?.[key] === value,
  );
  return (
    byLabel &&
    (selector.matchExpressions ?? []).every(({ key, operator, values }) => {
      const among = has(key) && (values ?? []).includes(given?.[key] ?? "");
      if (operator === "In") return among;
      if (operator === "NotIn") return !among;
      return operator === "Exists" ? has(key) : !has(key);
    })
  );
}
