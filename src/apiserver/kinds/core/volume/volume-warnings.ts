import type { Volume, VolumeProjection } from "../../../../kinds/core/v1.js";
import { parseQuantity } from "../../../../meta/quantity.js";

/** Kinds of volumes that are past, with the name by which a server tells them where that is another one. */
const OLD_VOLUMES: readonly (readonly [source: string, text: string, name?: string])[] = [
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+", "storageOS"],
  ["quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

/** What is odd about volumes, though they are valid. */
export function volumeWarnings(volumes: readonly Volume[], at: string): string[] {
  const old = volumes.flatMap((volume, index) => {
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    const place = `${at}[${String(index)}]`;
    return [
      ...oldSourceWarnings(volume, place),
      ...claimWarnings(claim?.resources, `${place}.ephemeral.volumeClaimTemplate.spec`),
    ];
  });
  return [...old, ...volumes.flatMap(overlapWarnings)];
}

/** Sources of a volume that are past. */
export function oldSourceWarnings(volume: object, at: string): string[] {
  return OLD_VOLUMES.filter(([source]) => (volume as Readonly<Record<string, unknown>>)[source] !== undefined).map(
    ([source, text, name = source]) => `${at}.${name}: ${text}`,
  );
}

/** What is odd about what a claim asks for. */
export function claimWarnings(
  resources:
    | { readonly requests?: Readonly<Record<string, string>>; readonly limits?: Readonly<Record<string, string>> }
    | undefined,
  at: string,
): string[] {
  return (["requests", "limits"] as const).flatMap((kind) =>
    quantityWarnings(resources?.[kind], `${at}.resources.${kind}`, ["storage"]),
  );
}

/** Bytes that are not whole. */
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

interface From {
  readonly path: string;
  readonly source: string;
}

/** Files of a volume that stand in the way of each other. */
function overlapWarnings({ name, configMap, secret, downwardAPI, projected }: Volume): string[] {
  const told = (what: string, files: readonly From[]): string[] =>
    overlaps(files).map((text) => `volume ${JSON.stringify(name)} (${what}): overlapping paths: ${text}`);
  const paths = (items: readonly { readonly path: string }[] | undefined): From[] =>
    (items ?? []).map(({ path }) => ({ path, source: "" }));
  const sources = projected?.sources ?? [];
  return [
    ...told(`ConfigMap ${JSON.stringify(configMap?.name ?? "")}`, paths(configMap?.items)),
    ...told(`Secret ${JSON.stringify(secret?.secretName ?? "")}`, paths(secret?.items)),
    ...told("DownwardAPI", paths(downwardAPI?.items)),
    ...sources
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`),
    ...told("Projected", sources.flatMap(projectedFiles)),
  ];
}

function projectedFiles({
  configMap,
  secret,
  downwardAPI,
  serviceAccountToken: token,
  clusterTrustBundle: bundle,
  podCertificate: certificate,
}: VolumeProjection): From[] {
  const files = (items: readonly { readonly path: string }[], source: string): From[] =>
    items.map(({ path }) => ({ path, source }));
  if (configMap?.items !== undefined)
    return files(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? "")}`);
  if (secret?.items !== undefined) return files(secret.items, `Secret ${JSON.stringify(secret.name ?? "")}`);
  if (downwardAPI?.items !== undefined) return files(downwardAPI.items, "DownwardAPI");
  if (token !== undefined) return files([token], "ServiceAccountToken");
  if (bundle !== undefined)
    return files([bundle], `ClusterTrustBundle ${JSON.stringify(bundle.name ?? bundle.signerName ?? "")}`);
  const parts = [
    ["certificateChainPath", "chain"],
    ["keyPath", "key"],
    ["credentialBundlePath", "credential bundle"],
  ] as const;
  return parts.flatMap(([key, what]) =>
    (certificate?.[key] ?? "") === "" ? [] : [{ path: certificate![key]!, source: `PodCertificate ${what}` }],
  );
}

function overlaps(given: readonly From[]): string[] {
  const files = given
    .map(({ path, source }) => ({ path: path.replace(/\/+$/, ""), source }))
    .filter(({ path }) => path !== "");
  const text = ({ path, source }: From): string =>
    source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
  const clash = (a: From, b: From): boolean =>
    `${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`);
  return files.flatMap((file, index) =>
    files
      .slice(0, index)
      .filter((other) => clash(file, other))
      .map((other) => `${text(file)} with ${text(other)}`),
  );
}
