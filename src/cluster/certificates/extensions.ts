import { der, derObjectId, derTag } from "../../internal/der.js";
import { greatest } from "../../internal/extremes.js";

/** Bits of the extension "key usage". */
const bits: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

/** Identifiers of the extension "extended key usage", in the order of certificates. */
const purposes: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": "1.3.6.1.5.5.7.3.1",
  "client auth": "1.3.6.1.5.5.7.3.2",
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
  "microsoft sgc": "1.3.6.1.4.1.311.10.3.3",
  "netscape sgc": "2.16.840.1.113730.4.1",
};

/** Returns an extension of a certificate. */
export function extension(id: string, critical: boolean, value: Uint8Array): Uint8Array {
  const flag = critical ? [der(derTag.boolean, Uint8Array.of(255))] : [];
  return der(derTag.sequence, derObjectId(id), ...flag, der(derTag.octetString, value));
}

/** Returns the extensions of a certificate for usages as in `spec.usages`. */
export function usageExtensions(usages: readonly string[]): Uint8Array[] {
  const set = usages.flatMap((usage) => bits[usage] ?? []);
  const last = greatest(set);
  const bytes = new Uint8Array(last < 8 ? 1 : 2);
  for (const bit of set) bytes[bit >> 3]! |= 0x80 >> (bit & 7);
  const wanted = Object.keys(purposes).filter((name) => usages.includes(name));
  const ids = [...new Set(wanted.map((name) => purposes[name]!))].map(derObjectId);
  return [
    ...(set.length === 0
      ? []
      : [extension("2.5.29.15", true, der(derTag.bitString, Uint8Array.of(7 - (last & 7)), bytes))]),
    ...(ids.length === 0 ? [] : [extension("2.5.29.37", false, der(derTag.sequence, ...ids))]),
  ];
}
