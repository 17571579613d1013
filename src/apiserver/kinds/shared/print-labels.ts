import type { LabelSelector } from "../../../meta/label-selector.js";

/** Formats labels as `a=b,c=d`, or `<none>`. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  return selectorText({ matchLabels: { ...labels } }) || "<none>";
}

/** Formats a selector; `<none>` without requirements. */
export function formatSelector(selector: LabelSelector | undefined): string {
  return selectorText(selector) || "<none>";
}

/** Formats a selector; `""` without requirements. */
export function selectorText(selector: LabelSelector | undefined): string {
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
