import type { PersistentVolumeClaim } from "../../kinds/core/v1.js";
import type { Ingress } from "../../kinds/networking/v1.js";
import { oldClassAnnotation } from "../kinds/core/volume/storage-metadata.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryServices } from "../registry/services.js";
import { listStored } from "../registry/stored-objects.js";

const ingressClassAnnotation = "kubernetes.io/ingress.class";
const ingressDefaultAnnotation = "ingressclass.kubernetes.io/is-default-class";
const storageDefaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/**
 * Sets the default class of a new Ingress that names none.
 *
 * @see https://kubernetes.io/docs/concepts/services-networking/ingress/#default-ingress-class
 */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  admit(attributes, { services }) {
    const ingress = created(attributes, "networking.k8s.io/ingresses") as Ingress | undefined;
    if (ingress === undefined || ingress.spec?.ingressClassName !== undefined) return;
    if (ingress.metadata?.annotations?.[ingressClassAnnotation] !== undefined) return;
    const name = newestMarked(services, "networking.k8s.io/ingressclasses", [ingressDefaultAnnotation]);
    if (name !== undefined) (ingress.spec ??= {}).ingressClassName = name;
  },
};

/**
 * Sets the default class of a new PersistentVolumeClaim that names none.
 *
 * @see https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass
 */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  admit(attributes, { services }) {
    const claim = created(attributes, "/persistentvolumeclaims") as PersistentVolumeClaim | undefined;
    if (claim === undefined || claim.spec?.storageClassName !== undefined) return;
    if (claim.metadata?.annotations?.[oldClassAnnotation] !== undefined) return;
    const name = newestMarked(services, "storage.k8s.io/storageclasses", storageDefaultAnnotations);
    if (name !== undefined) (claim.spec ??= {}).storageClassName = name;
  },
};

function created({ operation, resource, subresource, object }: AdmissionAttributes, bucket: string): unknown {
  return operation === "CREATE" && resource.bucket === bucket && subresource === "" ? object : undefined;
}

/** Returns the name of the class that is marked as default; of several the newest, then the first by name. */
function newestMarked(services: RegistryServices, bucket: string, marks: readonly string[]): string | undefined {
  const marked = listStored(services, bucket).filter(({ metadata }) =>
    marks.some((mark) => metadata?.annotations?.[mark] === "true"),
  );
  const order = marked.map(({ metadata }) => ({
    name: metadata?.name ?? "",
    ms: Date.parse(metadata?.creationTimestamp ?? ""),
  }));
  return order.sort((a, b) => b.ms - a.ms || (a.name < b.name ? -1 : 1))[0]?.name;
}
