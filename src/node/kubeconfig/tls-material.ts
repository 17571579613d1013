import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { readConfigFile, readFailure } from "./read-file.js";

/** Certificate, key or authorities: the bytes, or the file that contains them. The bytes take precedence. */
export interface PemSource {
  /** Field that it comes from, for errors. */
  readonly where: string;
  /** The bytes. */
  readonly data?: Uint8Array | undefined;
  /** The file. */
  readonly file?: string | undefined;
}

/** PEM texts for a TLS connection. */
export interface TlsMaterial {
  /** Certificate authorities. */
  readonly ca?: string;
  /** Client certificate. */
  readonly cert?: string;
  /** Key of the client certificate. */
  readonly key?: string;
}

/** Source of TLS material that follows changes of its files. */
export interface TlsMaterialSource {
  /**
   * Returns the material as of now, the same object until a file changes. Rejects with a `ConfigError` only the first
   * time; after that, the old material stays in use while a file is broken.
   */
  current(): TlsMaterial | Promise<TlsMaterial>;
}

const recheckMs = 60_000;

/** Creates a source of TLS material. Files are read again every minute. */
export function createTlsMaterialSource(
  sources: Partial<Record<keyof TlsMaterial, PemSource>>,
  clock: Clock,
): TlsMaterialSource {
  const changes = Object.values(sources).some((source) => source.data === undefined && source.file !== undefined);
  let known: TlsMaterial | undefined;
  let checkedAt = 0;
  let checking: Promise<TlsMaterial> | undefined;

  async function check(): Promise<TlsMaterial> {
    const before = known;
    try {
      const fresh = await readMaterial(sources);
      if (!before || before.ca !== fresh.ca || before.cert !== fresh.cert || before.key !== fresh.key) known = fresh;
    } catch (error) {
      // A certificate and its key are replaced one after the other: keep the old pair until both match.
      if (!before) throw error;
    } finally {
      checkedAt = clock.monotonic();
      checking = undefined;
    }
    return known!;
  }

  return {
    current() {
      if (known && (!changes || clock.monotonic() - checkedAt < recheckMs)) return known;
      return (checking ??= check());
    },
  };
}

async function readMaterial(sources: Partial<Record<keyof TlsMaterial, PemSource>>): Promise<TlsMaterial> {
  const material: { -readonly [K in keyof TlsMaterial]: TlsMaterial[K] } = {};
  for (const part of ["ca", "cert", "key"] as const) {
    const source = sources[part];
    if (!source) continue;
    material[part] = new TextDecoder().decode(await readPem(source));
  }
  if (material.ca !== undefined) requireCertificate(material.ca, sources.ca!);
  if (material.cert !== undefined) requireCertificate(material.cert, sources.cert!);
  if (material.cert !== undefined && material.key !== undefined)
    requireMatch(material.cert, material.key, sources.key!);
  return material;
}

/** Returns the bytes of a source. Rejects with a `ConfigError` if its file can't be read. */
export async function readPem(source: PemSource): Promise<Uint8Array> {
  if (source.data !== undefined) return source.data;
  try {
    return await readConfigFile(source.file!);
  } catch (error) {
    throw new ConfigError(`${describe(source)}: ${readFailure(error)}`, { cause: error });
  }
}

function describe(source: PemSource): string {
  return source.data === undefined && source.file !== undefined ? `${source.where}: ${source.file}` : source.where;
}

function requireCertificate(pem: string, source: PemSource): void {
  try {
    new X509Certificate(pem);
  } catch {
    // OpenSSL's reason is the name of a routine, which doesn't help the user.
    throw new ConfigError(`${describe(source)}: contains no PEM certificate`);
  }
}

/** Throws a `ConfigError` unless the key is valid and belongs to the certificate. */
export function requireMatch(cert: string, key: string, source: PemSource): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH"
        ? "does not match the client certificate"
        : "contains no usable PEM key";
    throw new ConfigError(`${describe(source)}: ${reason}`);
  }
}
