import { failure, routeFailure } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";

/** Result of content negotiation. */
export interface Negotiated {
  readonly encoding: Encoding;
  /** Value of Content-Type for single documents. */
  readonly mediaType: string;
  readonly pretty: boolean;
  /** Transformation of the object: a Table or its metadata only. */
  readonly transform?: {
    readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
    readonly version: string;
  };
}

/** Representations that an endpoint supports. */
export interface Offer {
  readonly encodings: readonly Encoding[];
  /** True if the endpoint supports Tables and PartialObjectMetadata. */
  readonly transforms: boolean;
  /** Encodings for PartialObjectMetadata, if there are more than `encodings`. */
  readonly metadataEncodings?: readonly Encoding[];
  /** False to exclude Tables while other transformations are supported. Default: true. */
  readonly tables?: boolean;
  /** True if the endpoint can watch. */
  readonly watch: boolean;
}

/** Media types of the encodings. */
export const mediaTypes: Readonly<Record<Encoding, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
  cbor: "application/cbor",
};

/** Media types of watches. YAML doesn't support them. */
export const watchMediaTypes: Readonly<Partial<Record<Encoding, string>>> = {
  json: "application/json",
  protobuf: "application/vnd.kubernetes.protobuf;stream=watch",
  cbor: "application/cbor-seq",
};

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly q: number;
}

function parseAccept(header: string): Clause[] {
  const clauses: Clause[] = [];
  for (const part of header.split(",")) {
    const [full, ...rest] = part.split(";").map((piece) => piece.trim());
    const slash = full!.indexOf("/");
    const parameters = new Map<string, string>();
    let q = 1;
    for (const piece of rest) {
      const equals = piece.indexOf("=");
      if (equals < 0) continue;
      const key = piece.slice(0, equals).trim().toLowerCase();
      const value = piece
        .slice(equals + 1)
        .trim()
        .replace(/^"(.*)"$/, "$1");
      if (key === "q") {
        const number = Number(value);
        q = Number.isFinite(number) && value !== "" ? number : 1;
      } else parameters.set(key, value);
    }
    if (full === "") continue;
    const type = slash < 0 ? full! : full!.slice(0, slash);
    const subtype = slash < 0 ? (full === "*" ? "*" : "") : full!.slice(slash + 1);
    clauses.push({ type, subtype, parameters, q });
  }
  return clauses.sort((a, b) => b.q - a.q);
}

function notAcceptable(types: readonly string[]): Error {
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${types.join(", ")}`);
}

/**
 * Checks the Accept header the way go-restful's routing does for built-in resources: exact media types and wildcards.
 * Throws its 406.
 */
export function filterAccept(header: string, available: readonly string[]): void {
  const accept = header === "" ? "*/*" : header;
  for (const part of accept.split(",")) {
    const bare = part.split(";")[0]!.trim();
    if (bare === "*/*" || available.includes(bare)) return;
  }
  throw routeFailure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${available.join(", ")}`);
}

/** Returns the media types that go-restful lists. */
export function representations(offer: Offer): string[] {
  const types = offer.encodings.map((encoding) => mediaTypes[encoding]);
  if (!offer.watch) return types;
  return [
    ...types,
    ...offer.encodings.flatMap((encoding) =>
      encoding === "yaml"
        ? []
        : [encoding === "cbor" ? "application/cbor-seq" : `${mediaTypes[encoding]};stream=watch`],
    ),
  ];
}

/** Negotiates the representation of a response. `watching` is true for a stream. Throws 406. */
export function negotiate(header: string, offer: Offer, watching: boolean, prettyQuery: boolean): Negotiated {
  const clauses =
    header.trim() === ""
      ? [{ type: "*", subtype: "*", parameters: new Map<string, string>(), q: 1 }]
      : parseAccept(header);
  const known: readonly Encoding[] = offer.metadataEncodings ?? offer.encodings;
  for (const clause of clauses) {
    for (const encoding of known) {
      const [type, subtype] = mediaTypes[encoding].split("/") as [string, string];
      if (
        !(
          (clause.type === type && clause.subtype === subtype) ||
          (clause.type === type && clause.subtype === "*") ||
          (clause.type === "*" && clause.subtype === "*")
        )
      )
        continue;
      const found = accepted(clause, encoding, offer, prettyQuery);
      if (found !== undefined) {
        if (watching && watchMediaTypes[encoding] === undefined) {
          throw notAcceptable(
            known.flatMap((one) =>
              one === "yaml" ? [] : [one === "cbor" ? "application/cbor-seq" : `${mediaTypes[one]};stream=watch`],
            ),
          );
        }
        return found;
      }
    }
  }
  throw notAcceptable(known.map((encoding) => mediaTypes[encoding]));
}

function accepted(clause: Clause, encoding: Encoding, offer: Offer, prettyQuery: boolean): Negotiated | undefined {
  const as = clause.parameters.get("as");
  const version = clause.parameters.get("v");
  const group = clause.parameters.get("g");
  const stream = clause.parameters.get("stream");
  if (stream !== undefined && stream !== "" && (encoding === "yaml" || stream !== "watch")) return undefined;
  const pretty = prettyQuery || clause.parameters.get("pretty") === "1";
  const base = { encoding, mediaType: mediaTypes[encoding], pretty };
  if (as === undefined && version === undefined && group === undefined) {
    return offer.encodings.includes(encoding) ? base : undefined;
  }
  if (!offer.transforms || group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (as === "Table" && offer.tables === false) return undefined;
  if (as === "Table")
    return encoding === "json" || encoding === "yaml" ? { ...base, transform: { kind: as, version } } : undefined;
  if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList")
    return { ...base, transform: { kind: as, version } };
  return undefined;
}
