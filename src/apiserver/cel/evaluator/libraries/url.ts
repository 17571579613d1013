import { CelError, CelOpaque, type CelValue, LiteralMap } from "../../values/values.js";
import { callOwn, type Methods } from "./methods.js";

const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

/** A value of `url()`. */
export class Url extends CelOpaque {
  readonly typeName = "kubernetes.URL";
  readonly url: URL;
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
    const isUrl =
      !/\s/.test(text) && (text.startsWith("/") || scheme.test(text)) && URL.canParse(text, "http://localhost");
    if (!isUrl) throw new CelError(`URL parse error: ${JSON.stringify(text)} is not a URI`);
    this.url = new URL(text, "http://localhost");
  }

  /** The host with its port, if the URL has a scheme. */
  get authority(): string {
    return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(this.text)?.[1] ?? "";
  }

  call(method: string, args: readonly CelValue[]): CelValue | undefined {
    return callOwn(urlMethods, method, this, args);
  }

  equals(other: CelOpaque): boolean {
    return other instanceof Url && other.text === this.text;
  }
}

const urlMethods: Methods<Url> = {
  getScheme: ({ text, url }) => (text.startsWith("/") ? "" : url.protocol.replace(/:$/, "")),
  getHost: ({ authority }) => authority,
  getHostname: ({ authority }) => authority.replace(/:\d+$/, "").replace(/^\[|\]$/g, ""),
  getPort: ({ authority }) => /:(\d+)$/.exec(authority)?.[1] ?? "",
  getEscapedPath: ({ text }) => /^(?:[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/.exec(text)?.[1] ?? "",
  getQuery({ url: { searchParams } }) {
    return new LiteralMap([...new Set(searchParams.keys())].map((key) => [key, searchParams.getAll(key)] as const));
  },
};
