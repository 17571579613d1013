const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** What is said of the fields that every object has. */
const ofObjects = {
  apiVersion:
    "APIVersion defines the version of the schema in which this object is written: GROUP/VERSION, or VERSION alone in the core group.",
  kind: "Kind is the name of the object's type, in CamelCase. It cannot be changed.",
  metadata: "Standard object's metadata.",
} as const;

/** What is said of the fields of an object's metadata. */
const ofMetadata: Readonly<Record<string, string>> = {
  annotations: "Annotations are texts by key that tools keep with the object. They cannot be searched for.",
  creationTimestamp:
    "CreationTimestamp is a timestamp by the server's clock: when the object was created. Clients cannot set it.",
  deletionGracePeriodSeconds:
    "DeletionGracePeriodSeconds is how many seconds the object is given to end by itself once its deletion was asked for.",
  deletionTimestamp:
    "DeletionTimestamp is when the object is to be gone, set by the server when its deletion is asked for. It is not taken back.",
  finalizers:
    "Finalizers name what has to be done before the object can be gone; each is removed by whoever has done its part.",
  generateName: "GenerateName is a prefix: an object without a name gets one of it and some random characters.",
  generation: "Generation counts the changes of the wanted state.",
  labels: "Labels are short texts by key by which objects are grouped and selected.",
  managedFields: "ManagedFields say which manager has set which fields, for server-side apply.",
  name: "Name tells the object from others of its kind in its namespace. It cannot be changed.",
  namespace: "Namespace is where the name is unique. It cannot be changed; kinds of the whole cluster have none.",
  ownerReferences:
    "OwnerReferences name the objects this one depends on: it is garbage once all of them are gone. At most one of them is its controller.",
  resourceVersion:
    "ResourceVersion is an opaque mark of this state of the object, for conditional updates and for watches.",
  selfLink: "SelfLink is no longer filled in.",
  uid: "UID tells the object from every other one that is, was or will be. It is set by the server.",
};

/** The description of a field that every object has, to be put into its schema. */
export function described(field: keyof typeof ofObjects): { readonly description: string } {
  return { description: ofObjects[field] };
}

/** Adds the descriptions there are to a definition: to an object's own three fields, and to those of its metadata. */
export function describe(name: string, schema: Record<string, unknown>): Record<string, unknown> {
  const properties = schema["properties"] as Record<string, Record<string, unknown>> | undefined;
  if (properties === undefined) return schema;
  const texts: Readonly<Record<string, string>> | undefined =
    name === objectMeta ? ofMetadata : isObject(properties) ? ofObjects : undefined;
  if (texts === undefined) return schema;
  const known = Object.entries(properties).map(
    ([key, one]) =>
      [key, texts[key] === undefined || "description" in one ? one : withDescription(one, texts[key])] as const,
  );
  return {
    ...schema,
    ...(name === objectMeta ? { description: "ObjectMeta is the metadata that every stored object has." } : {}),
    properties: Object.fromEntries(known),
  };
}

function isObject(properties: Record<string, Record<string, unknown>>): boolean {
  return (
    properties["apiVersion"] !== undefined &&
    properties["kind"] !== undefined &&
    JSON.stringify(properties["metadata"] ?? {}).includes(objectMeta)
  );
}

/** A reference stands alone, so what is said beside it wraps it. */
function withDescription(schema: Record<string, unknown>, description: string): Record<string, unknown> {
  return "$ref" in schema ? { description, allOf: [schema] } : { description, ...schema };
}
