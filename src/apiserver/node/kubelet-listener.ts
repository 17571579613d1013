import type { AddressInfo, Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { createServerCertificate } from "../../certificates/authority.js";
import { type ServerRequest, textResponse } from "../http/http.js";
import { trustedCertificate } from "../kubelets/kubelet-access.js";
import type { KubeletListener } from "../kubelets/kubelet-server.js";
import { answer } from "./answer.js";
import { clientIdentifier } from "./client-certificate.js";
import { createHttp1 } from "./http1.js";
import { reachable, tlsOptions } from "./listen.js";
import { createOpenings, timeLimits } from "./time-limits.js";

/** Options for `createKubeletListener`. */
export interface KubeletListenOptions {
  /** IP address that the port is opened on, and at which the API server reaches the nodes. Default: `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Port to listen on. Default: 0, which picks a free port. */
  readonly port?: number | undefined;
  /**
   * Serving certificate and key in PEM, for an API server with `--kubelet-certificate-authority`. Default: a certificate
   * of an authority of its own.
   */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /**
   * Certificate authorities of clients in PEM, such as those of the API server's `--kubelet-client-certificate` and
   * `--proxy-client-cert-file`. Without `webhook`, other clients get 401. Default without `webhook`: every client that
   * reaches the port may run commands and read logs.
   */
  readonly clientCa?: string | undefined;
  /**
   * True to let the API server authenticate bearer tokens and authorize requests, like a kubelet with
   * `--authentication-token-webhook` and `--authorization-mode=Webhook`: a user needs access to a subresource of nodes,
   * such as `nodes/proxy`. A certificate of `clientCa` takes the place of a token, and is required for `metrics.k8s.io`.
   * Default: false.
   */
  readonly webhook?: boolean | undefined;
}

/**
 * Creates a function that opens the port of simulated kubelets for `joinCluster`: the API server connects to it for logs,
 * exec, attach, port forwarding and metrics. The function rejects if the port can't be opened. Throws a `ConfigError` for
 * an invalid `clientCa`.
 *
 * @example
 * ```ts
 * import { createKubeletListener } from "kubestream/apiserver/node";
 * import { joinCluster } from "kubestream/cluster";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ kubeconfig: "./kubeconfig" });
 * await using cluster = await joinCluster(client, { nodes: 3, kubelets: createKubeletListener() });
 * ```
 */
export function createKubeletListener(options: KubeletListenOptions = {}): KubeletListener {
  const { host = "127.0.0.1", port = 0, clientCa, webhook = false } = options;
  const authorities = clientCa === undefined ? {} : { clientCa };
  const identify = clientIdentifier(authorities);
  return async (server) => {
    const guarded = {
      async serve(request: ServerRequest) {
        if (webhook) return await server.serveReviewed(request);
        const isKnown = clientCa === undefined || trustedCertificate(request) !== undefined;
        return isKnown ? await server.serve(request) : textResponse(401, "Unauthorized\n");
      },
    };
    const limits = timeLimits({});
    const openings = createOpenings(limits.headMs);
    const http = createHttp1((exchange) => {
      // API servers send few requests, so that connections aren't worth keeping.
      exchange.closeAfter();
      // The client left or the response failed; either way the connection can't be used again.
      answer(guarded, exchange).catch(() => exchange.cut());
    }, limits);
    const certificate = options.tls ?? createServerCertificate([host, "localhost"], Date.now());
    const sockets = new Set<Socket>();
    const secure = createTlsServer({ ...tlsOptions(certificate, authorities), ALPNProtocols: ["http/1.1"] });
    secure.on("secureConnection", (socket) => {
      socket.on("error", () => socket.destroy());
      openings.done(socket);
      identify(socket);
      http.emit("connection", socket);
    });
    secure.on("tlsClientError", () => undefined);
    secure.on("connection", (socket: Socket) => {
      socket.setNoDelay(true);
      openings.start(socket);
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      secure.once("error", reject);
      secure.listen(port, host, () => {
        secure.off("error", reject);
        resolve();
      });
    });
    const bound = secure.address() as AddressInfo;
    let closed: Promise<void> | undefined;
    return {
      address: reachable(bound.address),
      port: bound.port,
      close() {
        closed ??= new Promise((resolve) => {
          secure.close(() => resolve());
          for (const socket of sockets) socket.destroy();
          // This server doesn't listen, but closing it clears its timers.
          http.close();
        });
        return closed;
      },
    };
  };
}
