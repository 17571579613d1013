import { ClosedError } from "../../errors/errors.js";
import { isUnauthorized } from "../../errors/predicates.js";
import { orAborted } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import { defined } from "../../internal/defined.js";
import { createSecretTexts, type SecretTexts } from "../../internal/secrets/redact.js";
import { discardBody } from "../../internal/streams/read-start.js";
import { type DirectRequest, type DirectTransport, sendDirect } from "../../transport/direct.js";
import { type Redacting, redactSecrets } from "../../transport/redacting.js";
import { addAuthorization } from "../../transport/secret-headers.js";
import type { TransportRequest, TransportResponse } from "../../transport/transport.js";
import type { Credential, CredentialSource } from "../credentials/credential.js";
import { tlsSources } from "../credentials/user-credential.js";
import type { Connection } from "../kubeconfig/connection.js";
import { encodeImpersonation, impersonate } from "../kubeconfig/impersonation.js";
import type { TlsMaterial } from "../kubeconfig/tls-material.js";
import { createTlsMaterialSource } from "../kubeconfig/tls-material.js";
import type { Environment } from "../transport/proxy-environment.js";
import { parseProxyUrl, proxyFromEnvironment } from "../transport/proxy-environment.js";
import type { PooledTransport, PoolOptions, UndiciTransportOptions } from "../transport/undici-transport.js";
import { createPooledTransport, isLoopback } from "../transport/undici-transport.js";

type AnyRequest = TransportRequest | DirectRequest;

interface Attempt<R extends AnyRequest> {
  readonly transport: PooledTransport;
  readonly request: R;
  readonly material: TlsMaterial;
  readonly credential: Credential;
}

/** Creates the transport for one set of certificates. */
export type CreatePool = (options: UndiciTransportOptions) => PooledTransport;

/** Environment of a cluster transport. */
interface ClusterTransportContext {
  /** Environment variables. */
  readonly env: Environment;
  /** Source of time. */
  readonly clock: Clock;
  /** Creates the transport for one set of certificates. Default: `createPooledTransport`. */
  readonly createPool?: CreatePool | undefined;
}

/**
 * Creates the transport to one cluster as one user. It adds credentials and impersonation headers, keeps certificates
 * and tokens current, and retries a request once after a 401 if a newer credential is available. Secrets stay inside
 * its closure.
 */
export async function createClusterTransport(
  connection: Connection,
  source: CredentialSource,
  settings: PoolOptions,
  { env, clock, createPool = createPooledTransport }: ClusterTransportContext,
): Promise<DirectTransport & Redacting> {
  const tls = createTlsMaterialSource(tlsSources(connection), clock);
  const proxy =
    connection.proxyUrl === undefined
      ? proxyFromEnvironment(connection.server, env)
      : parseProxyUrl(connection.proxyUrl, `${connection.where}.proxy-url`);
  const authorize = createAuthorizer(connection, proxy);
  const pools = createPools(connection, settings, { proxy, clock, createPool });
  const secrets = createUsedSecrets(proxy);
  let closing: Promise<void> | undefined;

  function attempt<R extends AnyRequest>(request: R, material: TlsMaterial, credential: Credential): Attempt<R> {
    if (closing) throw new ClosedError(`${request.method} request: the client is closed`);
    secrets.use(credential, material);
    return {
      transport: pools.get(material, credential.certificate),
      request: authorize(request, credential),
      material,
      credential,
    };
  }

  function firstAttempt<R extends AnyRequest>(request: R): Attempt<R> | Promise<Attempt<R>> {
    const material = tls.current();
    const credential = source.current(abortOf(request));
    if (!isPromise(material) && !isPromise(credential)) return attempt(request, material, credential);
    // Reading a file can take long too, such as one on a network file system.
    return orAborted(Promise.all([material, credential]), abortOf(request).signal).then(
      ([heldMaterial, heldCredential]) => attempt(request, heldMaterial, heldCredential),
    );
  }

  /**
   * After a 401: the same request with a newer credential, if there is one and the caller set no `authorization`
   * header.
   */
  async function retryAttempt<R extends AnyRequest>(
    request: R,
    { material, credential }: Attempt<R>,
  ): Promise<Attempt<R> | undefined> {
    if (request.headers["authorization"] !== undefined) return undefined;
    const caller = abortOf(request);
    const renewed = await orAborted(source.renew(credential, caller), caller.signal);
    return renewed && attempt(request, material, renewed);
  }

  async function sendWithRetry<R extends AnyRequest>(
    request: R,
    send: (attempt: Attempt<R>) => Promise<TransportResponse>,
  ): Promise<TransportResponse> {
    const began = firstAttempt(request);
    const tried = isPromise(began) ? await began : began;
    const response = await send(tried);
    if (response.status !== 401) return response;
    const again = await retryAttempt(request, tried);
    if (!again) return response;
    await discardBody(response.body, clock);
    return send(again);
  }

  // Read the certificates now, so that a broken configuration fails here and not in the first request.
  await tls.current();
  return {
    send: (request) => sendWithRetry(request, (tried) => tried.transport.send(tried.request)),
    [redactSecrets]: (text) => secrets.redact(text),
    [sendDirect]: (request) => sendWithRetry(request, (tried) => tried.transport[sendDirect](tried.request)),
    async connect(request, protocols) {
      const tried = await firstAttempt(request);
      try {
        return await tried.transport.connect(tried.request, protocols);
      } catch (error) {
        const again = isUnauthorized(error) ? await retryAttempt(request, tried) : undefined;
        if (!again) throw error;
        return again.transport.connect(again.request, protocols);
      }
    },
    close() {
      closing ??= Promise.all([source.close?.(), pools.close()]).then(() => undefined);
      return closing;
    },
  };
}

/** Credentials of requests, which must stay out of errors. */
interface UsedSecrets extends Pick<SecretTexts, "redact"> {
  /** Remembers the credential and the key of a request. */
  use(credential: Credential, material: TlsMaterial): void;
}

function createUsedSecrets(proxy: URL | undefined): UsedSecrets {
  const secrets = createSecretTexts();
  if (proxy && proxy.password !== "") secrets.add(decodeURIComponent(proxy.password));
  let known: Credential | undefined;
  let knownKey: string | undefined;
  return {
    redact: (text) => secrets.redact(text),
    use(credential, { key }) {
      if (credential !== known) {
        known = credential;
        if (credential.authorization !== undefined) addAuthorization(secrets, credential.authorization);
        addKey(secrets, credential.certificate?.key);
      }
      if (key !== knownKey) addKey(secrets, (knownKey = key));
    },
  };
}

/** Adds the base64 text of a private key in PEM. */
function addKey(secrets: SecretTexts, pem: string | undefined): void {
  if (pem !== undefined) secrets.add(pem.replace(/-----[^-]*-----|\s/g, ""));
}

/** Returns a function that adds the credential and the impersonation headers to a request. */
function createAuthorizer(
  connection: Connection,
  proxy: URL | undefined,
): <R extends AnyRequest>(request: R, credential: Credential) => R {
  const impersonation = connection.impersonate && encodeImpersonation(connection.impersonate);
  // A token in clear text could be read on the way. kubectl doesn't send one over http either. The loopback interface is
  // safe, but a proxy elsewhere receives the whole request, even one for localhost.
  const secure =
    connection.server.protocol === "https:" ||
    (isLoopback(connection.server.hostname) && (proxy === undefined || isLoopback(proxy.hostname)));
  const authorized = new WeakMap<
    object,
    { readonly authorization: string; readonly headers: Readonly<Record<string, string>> }
  >();

  /** Adds the header. Direct requests share a headers object, so the result for it is cached. */
  function withAuthorization(request: AnyRequest, authorization: string): Readonly<Record<string, string>> {
    if (!("abort" in request)) return { ...request.headers, authorization };
    const known = authorized.get(request.headers);
    if (known?.authorization === authorization) return known.headers;
    const headers = { ...request.headers, authorization };
    authorized.set(request.headers, { authorization, headers });
    return headers;
  }

  return <R extends AnyRequest>(request: R, credential: Credential): R => {
    const own = request.headers["authorization"] !== undefined || !secure || credential.authorization === undefined;
    const complete: R = own ? request : { ...request, headers: withAuthorization(request, credential.authorization) };
    return impersonation ? impersonate(complete, impersonation) : complete;
  };
}

/** Connection pools by client certificate. The newest takes the requests, the others close after their last one. */
interface Pools {
  /** Returns the pool for this TLS material and certificate. Replaces the current pool if either changed. */
  get(material: TlsMaterial, certificate: Credential["certificate"]): PooledTransport;
  /** Closes all pools. Resolves when every connection is closed. */
  close(): Promise<unknown>;
}

function createPools(
  connection: Connection,
  settings: PoolOptions,
  {
    proxy,
    clock,
    createPool,
  }: { readonly proxy: URL | undefined; readonly clock: Clock; readonly createPool: CreatePool },
): Pools {
  const compression = connection.disableCompression ? false : settings.compression;
  const { dispatcher, http2, maxConnections, connectTimeoutMs, headersTimeoutMs, keepAliveTimeoutMs } = settings;
  const poolSettings = { dispatcher, http2, maxConnections, connectTimeoutMs, headersTimeoutMs, keepAliveTimeoutMs };
  let pool: { material: TlsMaterial; certificate: Credential["certificate"]; transport: PooledTransport } | undefined;
  const leaving = new Set<PooledTransport>();
  const retired = new Set<Promise<void>>();

  function retire(transport: PooledTransport): void {
    leaving.add(transport);
    const done = transport.drain().finally(() => {
      leaving.delete(transport);
      retired.delete(done);
    });
    retired.add(done);
  }

  return {
    get(material, certificate) {
      if (pool && pool.material === material && sameCertificate(pool.certificate, certificate)) return pool.transport;
      const transport = createPool({
        ...defined(poolSettings),
        ...(compression !== undefined && { compression }),
        ...(proxy && { proxy }),
        clock,
        server: connection.server.href,
        tls: {
          ...material,
          ...certificate,
          ...(connection.tlsServerName !== undefined && { servername: connection.tlsServerName }),
          insecureSkipVerify: connection.insecureSkipTlsVerify,
        },
      });
      if (pool) retire(pool.transport);
      pool = { material, certificate, transport };
      return transport;
    },
    close: () =>
      Promise.all([pool?.transport.close(), ...[...leaving].map((transport) => transport.close()), ...retired]),
  };
}

/** Returns the object that holds the request's signal. A direct request creates its signal only when it's read. */
function abortOf(request: AnyRequest): { readonly signal: AbortSignal } {
  return "abort" in request ? request.abort : request;
}

function sameCertificate(a: Credential["certificate"], b: Credential["certificate"]): boolean {
  return a === b || (a !== undefined && b !== undefined && a.cert === b.cert && a.key === b.key);
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return value instanceof Promise;
}
