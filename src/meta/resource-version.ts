/**
 * Returns true if a resourceVersion can be ordered: decimal digits without leading zeros, of any length. Other versions
 * can only be tested for equality.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export function isComparableResourceVersion(version: string | undefined): version is string {
  if (version === undefined || version.length === 0) return false;
  const first = version.charCodeAt(0);
  if (first < 49 || first > 57) return false;
  for (let i = 1; i < version.length; i++) {
    const code = version.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/**
 * Compares two resourceVersions of one resource: negative if `a` is older, 0 if they are equal, positive if it is
 * newer. Returns `undefined` if they differ and at least one can't be ordered.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isComparableResourceVersion(a) || !isComparableResourceVersion(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}
