import type { ContainerSession } from "../../../apiserver/kubelets/kubelet.js";
import { utf8Encode } from "../../../internal/bytes.js";
import { type ByteChannel, createByteChannel } from "../../../internal/streams/byte-channel.js";
import type { Container } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ContainerLog } from "./container-log.js";
import type { ProcessOptions } from "./process.js";

type Streams = Pick<ProcessOptions, "stdin" | "stdout" | "stderr" | "tty" | "onResize">;
type ResizeCallback = Parameters<ProcessOptions["onResize"]>[0];

/** Bytes of input that wait until clients aren't read any further. */
const inputBytes = 1024 * 1024;

/** Standard streams of a container's main process: its log, and the clients that are attached to it. */
export class ContainerConsole {
  readonly #container: DeepReadonly<Container>;
  readonly #log: ContainerLog;
  // Created on first use: most containers read nothing, and no client attaches to them.
  #channel: ByteChannel | undefined;
  #sessions: Map<ContainerSession, () => void> | undefined;
  #resized: ResizeCallback | undefined;
  #ended = false;

  constructor(container: DeepReadonly<Container>, log: ContainerLog) {
    this.#container = container;
    this.#log = log;
  }

  get #input(): ByteChannel {
    if (this.#channel === undefined) {
      this.#channel = createByteChannel(inputBytes);
      if (this.#container.stdin !== true || this.#ended) this.#channel.end();
    }
    return this.#channel;
  }

  /** Returns the streams for the process. */
  streams(): Streams {
    const tty = this.#container.tty === true;
    const stdout = this.#output("stdout");
    return {
      stdin: this.#input.bytes,
      stdout,
      stderr: tty ? stdout : this.#output("stderr"),
      tty,
      onResize: (callback) => {
        this.#resized = callback;
      },
    };
  }

  /** Connects a client. Resolves with 0 when the process has ended or the client has left. */
  async attach(session: ContainerSession): Promise<number> {
    if (this.#ended) return 0;
    session.onResize((size) => this.#resized?.(size));
    void this.#forward(session);
    const sessions = (this.#sessions ??= new Map());
    await new Promise<void>((resolve) => {
      sessions.set(session, resolve);
      if (session.signal.aborted) resolve();
      else session.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    sessions.delete(session);
    return 0;
  }

  /** Ends the streams and disconnects the clients. */
  end(): void {
    this.#ended = true;
    this.#channel?.end();
    this.#log.end();
    for (const leave of [...(this.#sessions?.values() ?? [])]) leave();
  }

  #output(stream: "stdout" | "stderr"): Streams["stdout"] {
    const decoder = new TextDecoder();
    // The log alone takes everything.
    let ready = Promise.resolve();
    return {
      get ready() {
        return ready;
      },
      write: (data) => {
        if (this.#ended) return;
        this.#log.write(stream, typeof data === "string" ? data : decoder.decode(data, { stream: true }));
        if (this.#sessions === undefined || this.#sessions.size === 0) return;
        const bytes = typeof data === "string" ? utf8Encode(data) : data;
        const sent = Array.from(this.#sessions.keys(), (session) => session.write(stream, bytes));
        ready = Promise.all(sent).then(() => undefined);
      },
    };
  }

  async #forward({ stdin }: ContainerSession): Promise<void> {
    for await (const bytes of stdin) {
      this.#input.push(bytes);
      await this.#input.room();
    }
    if (this.#container.stdinOnce === true) this.#input.end();
  }
}
