import { ConfigError } from "../../errors/errors.js";
import type { Clock } from "../../internal/clock.js";
import { requireToken } from "../../transport/require-token.js";
import { readConfigFile, readFailure } from "../kubeconfig/read-file.js";
import type { Credential, CredentialSource } from "./credential.js";

const rereadMs = 60_000;

/**
 * Creates a source for a bearer token in a file. The file is read again every minute and after a 401. If it's gone or
 * empty then, the last token stays in use, at first `token`. Without either, requests fail with a `ConfigError`.
 * `where` names the user entry that sets both.
 */
export function createTokenFileSource(file: string, where: string, clock: Clock, token?: string): CredentialSource {
  let known: Credential | undefined =
    token === undefined ? undefined : { authorization: `Bearer ${requireToken(token, `${where}.token`)}` };
  let hasRead = false;
  let readAt = 0;
  let reading: Promise<Credential> | undefined;

  async function read(): Promise<Credential> {
    try {
      const authorization = `Bearer ${requireToken((await readConfigFile(file)).toString("utf8"), `${where}.tokenFile: ${file}`)}`;
      if (known?.authorization !== authorization) known = { authorization };
    } catch (error) {
      if (!known)
        throw error instanceof ConfigError
          ? error
          : new ConfigError(`${where}.tokenFile: ${file}: ${readFailure(error)}`, { cause: error });
    } finally {
      readAt = clock.monotonic();
      hasRead = true;
      reading = undefined;
    }
    return known;
  }

  return {
    current() {
      if (known && hasRead && clock.monotonic() - readAt < rereadMs) return known;
      return (reading ??= read());
    },
    async renew(rejected) {
      const fresh = known && known !== rejected ? known : await (reading ??= read());
      return fresh === rejected ? undefined : fresh;
    },
  };
}
