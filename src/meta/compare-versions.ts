const versionPattern = /^v[0-9]+((alpha|beta)[0-9]+)?$/;

/**
 * Compares two API versions in the server's order of priority: `v2`, `v1`, `v2beta1`, `v1beta1`, `v1alpha1`, then other
 * names alphabetically. Use it with `sort`.
 *
 * @example
 * ```ts
 * import { compareVersions } from "kubestream/discovery";
 *
 * const versions = ["v1beta1", "v2", "v1", "v1alpha1"].sort(compareVersions);
 * console.log(versions); // v2, v1, v1beta1, v1alpha1
 * ```
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [versionPattern.exec(a), versionPattern.exec(b)];
  if (left === null || right === null) return left === right ? (a < b ? -1 : a > b ? 1 : 0) : left === null ? 1 : -1;
  const rank = (stage: string | undefined): number => (stage === undefined ? 0 : stage === "beta" ? 1 : 2);
  const major = (version: string): number => Number(/^v(\d+)/.exec(version)?.[1]);
  const minor = (version: string): number => Number(/(\d{1,20})$/.exec(version)?.[1]);
  return rank(left[2]) - rank(right[2]) || major(b) - major(a) || minor(b) - minor(a);
}
