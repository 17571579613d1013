// Connection of the landing page's client, which the page can break.

/** Passes requests to a server, cuts the watches that are open, and refuses new ones for a while. */
export class Wire {
  readonly #open = new Set<AbortController>();
  readonly #serve: (request: Request) => Promise<Response>;
  #cutUntil = 0;

  constructor(serve: (request: Request) => Promise<Response>) {
    this.#serve = serve;
  }

  /** Sends a request. Rejects for a watch while the connection is down. */
  readonly handle = async (request: Request): Promise<Response> => {
    if (!/[?&]watch=(?:1|true)/.test(request.url)) return this.#serve(request);
    if (performance.now() < this.#cutUntil) throw new TypeError("connection refused");
    const response = await this.#serve(request);
    if (response.body === null) return response;
    const cut = new AbortController();
    this.#open.add(cut);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    response.body.pipeTo(writable, { signal: cut.signal }).then(
      () => this.#open.delete(cut),
      () => this.#open.delete(cut),
    );
    return new Response(readable, response);
  };

  /** Breaks the open watches and refuses new ones for a while, in milliseconds. */
  cut(ms: number): void {
    this.#cutUntil = performance.now() + ms;
    for (const each of this.#open) each.abort(new TypeError("connection reset"));
  }
}
