import { trimEnd } from "../../../../internal/trim-end.js";
import type { Volume, VolumeProjection } from "../../../../kinds/core/v1.js";
import { parseQuantity } from "../../../../meta/quantity.js";
import { eachItem } from "../../shared/checks.js";

/** Warnings for deprecated and removed volume sources. */
const oldVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

export function volumeWarnings(volumes: readonly Volume[], at: string): string[] {
  const old = eachItem(volumes, at, (volume, place) => {
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    return [
      ...oldSourceWarnings(volume, place),
      ...claimWarnings(claim?.resources, `${place}.ephemeral.volumeClaimTemplate.spec`),
    ];
  });
  return [...old, ...eachItem(volumes, at, overlapWarnings)];
}

/** Returns the warnings for the deprecated sources of a volume. */
export function oldSourceWarnings(volume: object, at: string): string[] {
  return Object.entries(volume).flatMap(([source, value]) =>
    value !== undefined && Object.hasOwn(oldVolumes, source) ? [`${at}.${source}: ${oldVolumes[source] ?? ""}`] : [],
  );
}

/** Returns the warnings for the resources of a claim. */
export function claimWarnings(
  resources:
    | {
        readonly requests?: Readonly<Record<string, string>> | undefined;
        readonly limits?: Readonly<Record<string, string>> | undefined;
      }
    | undefined,
  at: string,
): string[] {
  return (["requests", "limits"] as const).flatMap((kind) =>
    quantityWarnings(resources?.[kind], `${at}.resources.${kind}`, ["storage"]),
  );
}

/** Returns a warning for each of the named quantities that isn't a whole number of bytes. */
export function quantityWarnings(
  quantities: Readonly<Record<string, string>> | undefined,
  at: string,
  names: readonly string[],
): string[] {
  return names.flatMap((name) => {
    const text = quantities?.[name];
    if (text === undefined) return [];
    const { digits, exponent } = parseQuantity(text);
    const whole = exponent >= 0 || digits % 10n ** BigInt(-exponent) === 0n;
    return whole
      ? []
      : [`${at}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`];
  });
}

/** Returns a warning for each pair of files in a volume whose paths conflict. */
function overlapWarnings({ name, configMap, secret, downwardAPI, projected }: Volume): string[] {
  const sources = projected?.sources ?? [];
  const paths = (items: readonly { readonly path: string }[] | undefined): string[] =>
    (items ?? []).map(({ path }) => path);
  return [
    ...sources
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`),
    ...[paths(configMap?.items), paths(secret?.items), paths(downwardAPI?.items), sources.flatMap(projectedPaths)]
      .flatMap(overlaps)
      .map((pair) => `volume ${JSON.stringify(name)}: overlapping paths: ${pair}`),
  ];
}

function projectedPaths({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken: token,
  clusterTrustBundle: bundle,
  podCertificate: certificate,
}: VolumeProjection): string[] {
  const files = configMap?.items ?? secret?.items ?? downwardAPI?.items ?? (token && [token]) ?? (bundle && [bundle]);
  if (files !== undefined) return files.map(({ path }) => path);
  return [certificate?.certificateChainPath, certificate?.keyPath, certificate?.credentialBundlePath].map(
    (path) => path ?? "",
  );
}

/** Maximum number of pairs of paths that are reported. The headers for warnings have room for fewer. */
const maxPairs = 200;

function overlaps(given: readonly string[]): string[] {
  if (given.length < 2) return [];
  const paths = given.map((path) => trimEnd(path, "/")).filter((path) => path !== "");
  const found: string[] = [];
  for (const index of overlapping(paths)) {
    const path = paths[index]!;
    for (const other of paths.slice(0, index)) {
      if (!isWithin(path, other) && !isWithin(other, path)) continue;
      found.push(`${JSON.stringify(path)} with ${JSON.stringify(other)}`);
      if (found.length === maxPairs) return found;
    }
  }
  return found;
}

/** Returns the indexes of the paths that overlap with an earlier one, in order. */
function overlapping(paths: readonly string[]): number[] {
  // A folder comes right before everything in it.
  const sorted = paths
    .map((path, index) => ({ path, index, order: path.replaceAll("/", "\0"), above: Infinity, earliest: index }))
    .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : a.index - b.index));
  const open: typeof sorted = [];
  const close = (): void => {
    const { earliest } = open.pop()!;
    const parent = open.at(-1);
    if (parent !== undefined) parent.earliest = Math.min(parent.earliest, earliest);
  };
  for (const entry of sorted) {
    while (open.length > 0 && !isWithin(entry.path, open.at(-1)!.path)) close();
    const parent = open.at(-1);
    if (parent !== undefined) entry.above = Math.min(parent.above, parent.index);
    open.push(entry);
  }
  while (open.length > 0) close();
  return sorted
    .filter(({ index, above, earliest }) => above < index || earliest < index)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
}

/** True if a path is a folder or within it. */
function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
}
