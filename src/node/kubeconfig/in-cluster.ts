import { ConfigError } from "../../errors/errors.js";
import type { Environment } from "../transport/proxy-environment.js";
import type { Connection } from "./connection.js";
import { readConfigFile, readFailure } from "./read-file.js";

/** Folder where Kubernetes mounts the files of a pod's service account. */
export const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Returns the connection of a pod to its own cluster, `undefined` outside of a cluster. The token and the authorities
 * are read again as they rotate. Rejects with a `ConfigError` if the environment variables are set but the token isn't
 * mounted.
 */
export async function findInCluster(
  env: Environment,
  folder: string = serviceAccountFolder,
): Promise<Connection | undefined> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) return undefined;
  const tokenFile = `${folder}/token`;
  const token = await readOptional(tokenFile);
  if (token === undefined)
    throw new ConfigError(
      `in-cluster configuration: ${tokenFile}: no such file; is automountServiceAccountToken false?`,
    );
  const ca = await readOptional(`${folder}/ca.crt`);
  const namespace = (await readOptional(`${folder}/namespace`))?.trim();
  let server: URL;
  try {
    server = new URL(`https://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`);
  } catch {
    throw new ConfigError(
      "in-cluster configuration: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not a valid host and port",
    );
  }
  const where = "in-cluster configuration";
  return {
    server,
    where,
    ...(namespace !== undefined && namespace !== "" && { namespace }),
    ...(ca !== undefined && { ca: { where, file: `${folder}/ca.crt` } }),
    insecureSkipTlsVerify: false,
    disableCompression: false,
    user: { where, file: tokenFile, tokenFile },
  };
}

async function readOptional(file: string): Promise<string | undefined> {
  try {
    return (await readConfigFile(file)).toString("utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new ConfigError(`in-cluster configuration: ${file}: ${readFailure(error)}`, { cause: error });
  }
}
