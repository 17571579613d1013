/** Formats a LabelSelector, or the plain map of a ReplicationController, as a label selector string. */
export function formatLabelSelector(selector: unknown): string {
  if (typeof selector !== "object" || selector === null) return "";
  const { matchLabels, matchExpressions } = selector as {
    matchLabels?: Record<string, string>;
    matchExpressions?: { key: string; operator: string; values?: string[] }[];
  };
  const labels = matchLabels ?? (matchExpressions === undefined ? (selector as Record<string, string>) : {});
  const terms: { key: string; text: string }[] = Object.keys(labels).map((key) => ({
    key,
    text: `${key}=${labels[key]!}`,
  }));
  for (const { key, operator, values } of matchExpressions ?? []) {
    const list = [...(values ?? [])].sort().join(",");
    const text =
      operator === "In"
        ? `${key} in (${list})`
        : operator === "NotIn"
          ? `${key} notin (${list})`
          : operator === "Exists"
            ? key
            : `!${key}`;
    terms.push({ key, text });
  }
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map((term) => term.text)
    .join(",");
}

/** True if labels match a LabelSelector. An empty one matches everything, a missing one nothing. */
export function labelSelectorMatches(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (typeof selector !== "object" || selector === null) return false;
  const { matchLabels, matchExpressions } = selector as {
    matchLabels?: Record<string, string>;
    matchExpressions?: { key: string; operator: string; values?: string[] }[];
  };
  const value = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  for (const key of Object.keys(matchLabels ?? {})) if (value(key) !== matchLabels![key]) return false;
  for (const { key, operator, values } of matchExpressions ?? []) {
    const own = value(key);
    if (operator === "In" && (own === undefined || values?.includes(own) !== true)) return false;
    if (operator === "NotIn" && own !== undefined && values?.includes(own) === true) return false;
    if (operator === "Exists" && own === undefined) return false;
    if (operator === "DoesNotExist" && own !== undefined) return false;
  }
  return true;
}
