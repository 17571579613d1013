import type { Pod } from "../../kinds/core/v1.js";

function containersOf({ spec }: Pod): NonNullable<NonNullable<Pod["spec"]>["containers"]> {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

/** Returns the names of the secrets that a pod refers to. */
export function secretNames(pod: Pod): (string | undefined)[] {
  return [
    ...(pod.spec?.imagePullSecrets ?? []).map(({ name }) => name),
    ...containersOf(pod).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(pod.spec?.volumes ?? []).flatMap((volume) => [
      volume.secret?.secretName,
      ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
      volume.azureFile?.secretName,
      volume.csi?.nodePublishSecretRef?.name,
      ...[volume.cephfs, volume.flexVolume, volume.iscsi, volume.rbd, volume.scaleIO, volume.storageos].map(
        (source) => source?.secretRef?.name,
      ),
    ]),
  ];
}

/** Returns the names of the ConfigMaps that a pod refers to. */
export function configMapNames(pod: Pod): (string | undefined)[] {
  return [
    ...containersOf(pod).flatMap(({ env = [], envFrom = [] }) => [
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    ...(pod.spec?.volumes ?? []).flatMap((volume) => [
      volume.configMap?.name,
      ...(volume.projected?.sources ?? []).map(({ configMap }) => configMap?.name),
    ]),
  ];
}
