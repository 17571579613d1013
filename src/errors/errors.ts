import { KubestreamError } from "./kubestream-error.js";

/**
 * The server couldn't be reached or the connection failed: refused, reset, timed out, or broken in the middle of a
 * body.
 */
export class TransportError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "TransportError";
  /** System or library error code, such as `ECONNREFUSED`; absent if unknown. */
  readonly code?: string | undefined;

  /** `message` describes the attempt; `options.code` is the system's error code. */
  constructor(message: string, options: ErrorOptions & { code?: string | undefined } = {}) {
    super(message, options);
    if (options.code !== undefined) this.code = options.code;
  }

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "TransportError";
  }
}

/** The server's response violates the protocol: a malformed frame, an unknown media type, a missing resourceVersion. */
export class ProtocolError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ProtocolError";
  /** Byte offset at which decoding failed; absent if it doesn't apply. */
  readonly offset?: number | undefined;

  /** `message` names what was expected and what was received. */
  constructor(message: string, options: ErrorOptions & { offset?: number | undefined } = {}) {
    super(message, options);
    if (options.offset !== undefined) this.offset = options.offset;
  }

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "ProtocolError";
  }
}

/** Invalid configuration. The message names the file or option, the field and the reason. */
export class ConfigError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ConfigError";
  /**
   * True if the same program never gets past this error, such as a bundle without one of its packages. Informers and
   * leader elections end instead of retrying it.
   */
  readonly permanent: boolean;

  /** `message` names the file or option, the field and the reason. */
  constructor(message: string, options: ErrorOptions & { permanent?: boolean | undefined } = {}) {
    super(message, options);
    this.permanent = options.permanent ?? false;
  }

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "ConfigError";
  }
}

/** A client, transport or informer was used after it was closed, or closed during a call. */
export class ClosedError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ClosedError";

  /** Name of the class, which survives minification. */
  static override get className(): string {
    return "ClosedError";
  }
}
