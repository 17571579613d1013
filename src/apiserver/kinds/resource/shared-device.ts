/** Part of a device, or all of one, by name. */
export interface SharedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

/** Returns a key by which two references to the same device are equal. */
export function deviceKey({ driver, pool, device, shareID = "" }: SharedDevice): string {
  return JSON.stringify([driver, pool, device, shareID]);
}
