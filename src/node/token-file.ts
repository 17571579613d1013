import { ConfigError } from "../errors/errors.js";
import type { Clock } from "../internal/clock.js";
import type { Credential, CredentialSource } from "./credential.js";
import { requireToken } from "./token.js";
import { readConfigFile } from "./read-file.js";

const rereadMs = 60_000;

/**
 * The bearer token in a file, read again each minute and when the server refuses it. If the file is gone or empty then,
 * the last token stays in use; the first time that is a `ConfigError`.
 */
export function createTokenFileSource(file: string, where: string, clock: Clock): CredentialSource {
  let known: Credential | undefined;
  let readAt = 0;
  let reading: Promise<Credential> | undefined;

  async function read(): Promise<Credential> {
    try {
      const authorization = `Bearer ${requireToken((await readConfigFile(file)).toString("utf8"), `${where}: ${file}`)}`;
      if (known?.authorization !== authorization) known = { authorization };
    } catch (error) {
      if (!known) throw error instanceof ConfigError ? error : new ConfigError(`${where}: ${file}: cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`, { cause: error });
    } finally {
      readAt = clock.monotonic();
      reading = undefined;
    }
    return known;
  }

  return {
    current() {
      if (known && clock.monotonic() - readAt < rereadMs) return known;
      return (reading ??= read());
    },
    async renew(rejected) {
      const fresh = known && known !== rejected ? known : await (reading ??= read());
      return fresh === rejected ? undefined : fresh;
    },
  };
}
