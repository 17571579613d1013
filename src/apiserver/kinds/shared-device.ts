/** A device, or the share of one, as a server knows it. */
export interface SharedDevice {
  readonly Driver: string;
  readonly Pool: string;
  readonly Device: string;
  readonly ShareID: string;
}

/** Which device something is about. */
export function sharedDevice({
  driver,
  pool,
  device,
  shareID = "",
}: {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}): SharedDevice {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}
