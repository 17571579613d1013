import type { Step } from "../../differential/probe.js";

type Json = Record<string, unknown>;

/** Recorded answers to the compared steps of a probe. */
export type RecordedProbe = readonly [id: string, answers: readonly Json[]];

/** Recorded topics. For large ones, a pattern selects the probes. */
export const recordedTopics: Readonly<Record<string, RegExp>> = {
  "s-claims": /./,
  plugins: /./,
  "plugins-optional": /./,
  // Excluded are causes in map order, addresses of a second family, and duplicates.
  "pod-fields": /^(?!.*(windows-user a\x01|resource-names|ephemeral\/(?!changes|target|file|claims|ports|stop|hooks|restart|mounts|first|last)))/s,
  "kind-fields": /^(?!services\/new ip-outside$)/,
  "rare-fields": /./,
  "rare-writes": /./,
  collections: /^delete(-with-body)?\/resourceVersion=\$\{(rv|later)\}(&resourceVersionMatch=(Exact|NotOlderThan))?(&limit=1)?(&continue=x)?$/,
  volumes: /./,
  "storage-versions": /^(name|status)\//,
  yaml: /^(create|apply)\/"(\{|---|%|# c)(?!.*\}: x")/,
  namespaces: /^(immortal\/|ending|inside|status|finalize|update|new)/,
  defaults: /^(node|divisor)\//,
  services: /^(new|ports)\/|^(plain|headless|bare|outside)\/merge /,
  definition: /^(schema|whole|name)\b|^create\/.*(size\.(format|type|default)|scope|strategy|list-type|map-type|deprecationWarning)=hard$/,
  parameters: /fieldValidation=a%00b$/,
  update: /^(persistentvolume(claim)?s\/(first|spec\.(csi\.volumeAttributes|accessModes)=empty|last)|secrets\/(first|type=hard|last)|(batch-v1-jobs|discovery-v1-endpointslices|storage-v1-storageclasses)\/(first|[\w.]*(Mode|managedBy|addressType|reclaimPolicy|provisioner)=hard|last))$/,
  fuzz: /^(admissionregistration-v1-|flowcontrol-v1-|resource-v1-|resource-v1beta2-devicetaintrules|resource-v1alpha3-)/,
  policies: /./,
  empties: /^(networkpolicy|webhooks|rule-parts|claimtemplate)$/,
  "s-types": /^((a\/b\/c|v1\/|\/v1|apps\/__internal|extensions\/v1beta1|) (Deployment|Status|)|(__internal|v1|meta\.k8s\.io\/v1) (WatchEvent|PartialObjectMetadata|List)|body\/.*(nul|" 1\}|"metadata":"x"\}|null))$/,
  status: /^(autoscaling-v1-\w+\/(first|full|last)|(nodes|certificates-v1-certificatesigningrequests)\/(first|new status\.(declaredFeatures|certificate).*|last))$/,
};

/** Namespace in which the probes run. */
export const NAMESPACE = "recorded-1";

/** Replaces the variables of a step. */
export function filled(step: Step, variables: Readonly<Record<string, string>>): Step {
  const text = (value: string): string => value.replace(/\$\{(\w+)\}/g, (whole, name: string) => variables[name] ?? whole);
  const json = step.json === undefined ? undefined : (JSON.parse(text(JSON.stringify(step.json))) as unknown);
  return { ...step, path: text(step.path), ...(json === undefined ? {} : { json }), ...(typeof step.raw === "string" ? { raw: text(step.raw) } : {}) };
}

/**
 * Returns an answer without the parts that differ between runs: for a Status its causes, for an object the spec, the
 * status and the metadata that follow from it.
 */
export function answerOf(status: number, warning: string | undefined, body: Json): Json {
  const answer = body["kind"] === "Status" ? ofStatus(body) : ofObject(body);
  return JSON.parse(plain(JSON.stringify({ status, ...(warning === undefined || warning === "" ? {} : { warning: warning.replaceAll("\n", ", ") }), ...answer }))) as Json;
}

function ofStatus({ message, reason, details }: Json): Json {
  const causes = (details as { causes?: { field?: string; message: string }[] } | undefined)?.causes ?? [];
  if (reason === "Invalid" && causes.some(({ field }) => field !== undefined)) return { causes: causes.map(({ field, message: text }) => `${field ?? ""}: ${text}`).sort() };
  return { message, reason };
}

function ofObject({ kind: _kind, apiVersion: _apiVersion, metadata, ...rest }: Json): Json {
  const { name: _name, continue: _continue, namespace: _namespace, uid: _uid, resourceVersion: _version, creationTimestamp: _time, managedFields: _managers, deletionTimestamp: _deletion, ...others } = (metadata ?? {}) as Json;
  return { ...(Object.keys(others).length === 0 ? {} : { metadata: others }), ...rest };
}

function plain(text: string): string {
  return text.replaceAll(NAMESPACE, "ns").replace(/kube-api-access-[a-z0-9]{5}"/g, 'kube-api-access-<name>"').replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>").replace(/20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>").replace(/"(nodePort|healthCheckNodePort)":3\d{4}/g, '"$1":"<port>"').replace(/10\.0\.[01]\.\d+/g, "<ip>")
    .replace(/(\\*"resourceVersion\\*":\\*")\d+/g, "$1<version>").replace(/in (record|the precondition) \(\d+\)/g, "in $1 (<version>)");
}
