const maxUint64 = 18_446_744_073_709_551_615n;

/** A resourceVersion as a number; `undefined` if it is none. Beyond 2^53 it loses digits: such a version is only ever compared as too large. */
export function parseResourceVersion(text: string): number | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  if (text.length > 20 || (text.length === 20 && BigInt(text) > maxUint64)) return undefined;
  return Number(text);
}

/** What is wrong with a version that a request names. */
export function wrongVersion(text: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: it is no unsigned integer`;
}
