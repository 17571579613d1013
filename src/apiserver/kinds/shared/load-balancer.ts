/** Formats the addresses of a load balancer for tables. */
export function loadBalancerText(
  ingress: readonly { ip?: string | undefined; hostname?: string | undefined }[] | undefined,
): string {
  const found = (ingress ?? []).flatMap((each) => each.ip || each.hostname || []);
  return [...new Set(found)].sort().join(",");
}
