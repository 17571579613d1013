import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServerCertificate } from "../../../src/certificates/authority.js";

/** Review that an admission webhook receives. */
export interface Review {
  readonly request: Record<string, unknown> & { readonly uid: string };
}

/** Answers a review; `undefined` gives a status of 500. */
export type ReviewAnswer = (review: Review) => object | undefined;

/** Webhook that can be registered with a real server. */
export interface AdmissionWebhook {
  readonly caBundle: string;
  /** Returns the URL for the answer with this name. */
  url(name: string): string;
  /** Returns the requests since the last call, with the name of the answer. */
  take(): (readonly [name: string, request: Record<string, unknown>])[];
  close(): Promise<void>;
}

/** Starts a webhook over TLS that answers `/NAME` with the answer of that name. */
export async function startAdmissionWebhook(
  answers: Readonly<Record<string, ReviewAnswer>>,
): Promise<AdmissionWebhook> {
  const { ca, cert, key } = createServerCertificate(["127.0.0.1"], Date.now());
  let asked: (readonly [string, Record<string, unknown>])[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const review = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Review & {
          kind: string;
          apiVersion: string;
        };
        const name = request.url!.slice(1).split("?")[0]!;
        asked.push([name, review.request]);
        const answer = answers[name]!(review);
        response.writeHead(answer === undefined ? 500 : 200, {
          "content-type": "application/json",
          connection: "close",
        });
        response.end(
          JSON.stringify({
            kind: review.kind,
            apiVersion: review.apiVersion,
            response: { uid: review.request.uid, ...answer },
          }),
        );
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    caBundle: Buffer.from(ca).toString("base64"),
    url: (name) => `https://127.0.0.1:${port}/${name}`,
    take() {
      const taken = asked;
      asked = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
