import { KubestreamError } from "./kubestream-error.js";

/** No answer: the connection was refused, reset, timed out, or broke in the middle of a body. */
export class TransportError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "TransportError";
  /** System or library error code, as `ECONNREFUSED`; absent where there is none. */
  readonly code?: string;

  /** `message` says what was attempted; `options.code` is the system's error code. */
  constructor(message: string, options: ErrorOptions & { code?: string | undefined } = {}) {
    super(message, options);
    if (options.code !== undefined) this.code = options.code;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "TransportError";
  }
}

/** An answer that breaks the protocol: a bad frame, an unknown media type, a missing resourceVersion. */
export class ProtocolError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ProtocolError";
  /** Offset in bytes at which decoding failed; absent where it makes no sense. */
  readonly offset?: number;

  /** `message` says what was expected and what came. */
  constructor(message: string, options: ErrorOptions & { offset?: number | undefined } = {}) {
    super(message, options);
    if (options.offset !== undefined) this.offset = options.offset;
  }

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "ProtocolError";
  }
}

/** A configuration that cannot be used: which file, which field, and why. */
export class ConfigError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ConfigError";

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "ConfigError";
  }
}

/** Something was used after it had been closed. */
export class ClosedError extends KubestreamError {
  /** Name of the class. */
  override readonly name = "ClosedError";

  /** The class's own name, which survives minification. */
  static override get className(): string {
    return "ClosedError";
  }
}
