import { hasFormat } from "../../../objects/formats.js";
import { CelOpaque, CelOptional, type CelValue } from "../../values/values.js";

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const named: Readonly<Record<string, (text: string) => boolean>> = {
  dns1123Label: (text) => text.length <= 63 && label.test(text),
  dns1123Subdomain: (text) => text.length <= 253 && text.split(".").every((part) => label.test(part)),
  dns1035Label: (text) => text.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text),
  qualifiedName: isQualifiedName,
  dns1123LabelPrefix: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*)?$/.test(text),
  dns1123SubdomainPrefix: (text) => text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*)?$/.test(text),
  dns1035LabelPrefix: (text) => text.length <= 63 && /^[a-z]([-a-z0-9]*)?$/.test(text),
  labelValue: (text) => text === "" || (text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text)),
  uri: (text) => hasFormat(text, "uri"),
  uuid: (text) => hasFormat(text, "uuid"),
  byte: (text) => hasFormat(text, "byte"),
  date: (text) => hasFormat(text, "date"),
  datetime: (text) => hasFormat(text, "datetime"),
};
/** Names of the formats. */
export const formatNames: ReadonlySet<string> = new Set(Object.keys(named));

function isQualifiedName(text: string): boolean {
  const parts = text.split("/");
  const name = parts.at(-1) ?? "";
  if (parts.length > 2 || (parts.length === 2 && !named["dns1123Subdomain"]!(parts[0] ?? ""))) return false;
  return name.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name);
}

/** Size of the formats' longest patterns; labels have 30. */
const patternSizes: Readonly<Record<string, number>> = {
  dns1123Subdomain: 60,
  dns1123SubdomainPrefix: 60,
  qualifiedName: 60,
  labelValue: 40,
  uri: 1103,
  uuid: 70,
  byte: 84,
  date: 71,
  datetime: 71,
};

/** A value of `format.named()`. */
export class NamedFormat extends CelOpaque {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  override steps(method: string, [text]: readonly CelValue[]): number {
    return method === "validate" && typeof text === "string"
      ? Math.ceil((text.length + 1) / 10) * Math.ceil((patternSizes[this.name] ?? 30) / 4)
      : 1;
  }

  call(method: string, args: readonly CelValue[]): CelValue | undefined {
    const [text] = args;
    if (method !== "validate" || typeof text !== "string") return undefined;
    return named[this.name]!(text) ? new CelOptional() : new CelOptional([`must be a valid ${this.name}`]);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}
