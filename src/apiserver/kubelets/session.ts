import type { ContainerSession, KubeletRefusal, PortStream } from "./kubelet.js";

/** Function that serves a session and resolves with the exit code, or the reason for which it can't start. */
export type ServeSession = ((session: ContainerSession) => Promise<number>) | KubeletRefusal;

/** Function that serves a connection to a port, or the reason for which there isn't one. */
export type ServePort = ((stream: PortStream) => Promise<void>) | KubeletRefusal;

/** Streams that the client of a session wants. */
export interface SessionStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** Bytes of input that wait until the connection isn't read any further. */
export const inputBytes: number = 1024 * 1024;

/** Serves a session. Resolves with the Status for the client. */
export async function runSession(serve: ServeSession, session: ContainerSession): Promise<object> {
  if (typeof serve !== "function") return failure(serve.refused);
  try {
    return exitStatus(await serve(session));
  } catch (error) {
    return failure(messageOf(error));
  }
}

/** Serves a port until the end. Resolves with the message for the client if that fails. */
export async function runPort(serve: ServePort, stream: PortStream): Promise<string | undefined> {
  if (typeof serve !== "function") return serve.refused;
  try {
    await serve(stream);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

function failure(message: string): object {
  return {
    metadata: {},
    status: "Failure",
    message: `Internal error occurred: ${message}`,
    reason: "InternalError",
    details: { causes: [{ message }] },
    code: 500,
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
