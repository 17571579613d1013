const maxUint64 = 18_446_744_073_709_551_615n;

/**
 * Parses a resource version; returns `undefined` if it is invalid. Loses precision above 2^53, where it only has to
 * compare as too large.
 */
export function parseResourceVersion(text: string): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  if (text.length > 20 || (text.length === 20 && BigInt(text) > maxUint64)) return undefined;
  return Number(text);
}

/** Returns the error text for an invalid resource version in a request. */
export function wrongVersion(text: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: it is no unsigned integer`;
}
