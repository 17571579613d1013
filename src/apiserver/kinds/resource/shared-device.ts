/** A device, or a share of one, by name. */
export interface SharedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string | undefined;
}

/** Returns a key that is equal for two references to the same device. */
export function deviceKey({ driver, pool, device, shareID = "" }: SharedDevice): string {
  return JSON.stringify([driver, pool, device, shareID]);
}
