import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { readConfigFile } from "./read-file.js";

/** A certificate, key or authority: its bytes, or the file they are in; bytes go first. */
export interface PemSource {
  /** Field that names it, for errors. */
  readonly where: string;
  /** The bytes. */
  readonly data?: Uint8Array | undefined;
  /** The file. */
  readonly file?: string | undefined;
}

/** What a TLS connection is made with. */
export interface TlsMaterial {
  /** Certificate authorities. */
  readonly ca?: string;
  /** Client certificate. */
  readonly cert?: string;
  /** Key of the client certificate. */
  readonly key?: string;
}

/** Keeps TLS material current. */
export interface TlsMaterialSource {
  /** The material as of now: the same object until a file has changed. Rejects with a `ConfigError` only the first time; later a broken file leaves the old material in use. */
  current(): TlsMaterial | Promise<TlsMaterial>;
}

const recheckMs = 60_000;

/** Makes a source of TLS material; files are read again each minute. */
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
      // A certificate and its key are replaced one after the other: until both fit, the old pair stays.
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
    material[part] = new TextDecoder().decode(source.data ?? (await readPemFile(source)));
  }
  if (material.ca !== undefined) requireCertificate(material.ca, sources.ca!);
  if (material.cert !== undefined) requireCertificate(material.cert, sources.cert!);
  if (material.cert !== undefined && material.key !== undefined)
    requireMatch(material.cert, material.key, sources.key!);
  return material;
}

async function readPemFile(source: PemSource): Promise<Uint8Array> {
  try {
    return await readConfigFile(source.file!);
  } catch (error) {
    throw new ConfigError(
      `${describe(source)}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`,
      { cause: error },
    );
  }
}

function describe(source: PemSource): string {
  return source.data === undefined && source.file !== undefined ? `${source.where}: ${source.file}` : source.where;
}

function requireCertificate(pem: string, source: PemSource): void {
  try {
    new X509Certificate(pem);
  } catch {
    // The library's reason is an OpenSSL routine name; what was wrong is that this is no certificate.
    throw new ConfigError(`${describe(source)}: holds no PEM certificate`);
  }
}

/** Throws a `ConfigError` unless the key is one and belongs to the certificate. */
export function requireMatch(cert: string, key: string, source: PemSource): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === "ERR_OSSL_X509_KEY_VALUES_MISMATCH"
        ? "is not the key of the client certificate"
        : "holds no PEM key that can be used";
    throw new ConfigError(`${describe(source)}: ${reason}`);
  }
}
