// Tab of a headless Chromium, controlled over the DevTools protocol.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { flags } from "./chromium.js";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** An event of a trace, in the format of Chromium. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Time of its begin (µs). */
  readonly ts: number;
  /** CPU time of the thread (µs). */
  readonly tdur?: number;
  readonly args?: { readonly name?: unknown };
}

/** Categories of a trace with tasks and with the marks that the page sets by `performance.mark`. */
const taskCategories = ["disabled-by-default-devtools.timeline", "blink.user_timing"];

/** A task of a page's main thread. */
export interface Task {
  /** Time of its begin, since the page's first task of the trace (ms). */
  readonly startMs: number;
  /** CPU time (ms). */
  readonly cpuMs: number;
}

/** Width, height and color scheme of a tab. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
}

/** A page that is open in the browser. */
export interface Tab {
  /** Console errors, uncaught exceptions and failed requests since the last `open`. */
  readonly problems: readonly string[];
  /** Opens an address and waits until it has loaded. */
  open(url: string, screen: Screen): Promise<void>;
  /** Evaluates an expression in the page and returns its value; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Runs `use`, and returns the tasks that the page's main thread ran, and when the page set each mark (ms). */
  trace(use: () => Promise<void>): Promise<{ readonly tasks: Task[]; readonly marks: ReadonlyMap<string, number> }>;
  /** Types a text into the element that has the focus. */
  type(text: string): Promise<void>;
  /** Presses the mouse button in the middle of the element that the selector finds. */
  press(selector: string): Promise<void>;
  /** Returns a picture of the visible part. Default: PNG. */
  screenshot(format?: "png" | "webp"): Promise<Uint8Array>;
}

/** Starts the browser, runs `use` with one tab, and ends the browser. */
export async function withTab<T>(browser: string, use: (tab: Tab) => Promise<T>): Promise<T> {
  const profile = mkdtempSync(join(tmpdir(), "kubestream-browser-"));
  const child = spawn(browser, [...flags, "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    const address = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        const [, found] = /DevTools listening on (\S+)/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once("close", () => reject(new Error("the browser exited before it was ready")));
    });
    const connection = await Connection.open(address);
    try {
      return await use(await PageTab.create(connection));
    } finally {
      connection.close();
    }
  } finally {
    child.kill("SIGKILL");
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

class Connection {
  readonly #socket: WebSocket;
  readonly #calls = new Map<number, (message: Message) => void>();
  #id = 0;
  /** Receives the events of the protocol. */
  onEvent: (message: Message) => void = () => undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Message;
      if (message.id === undefined) this.onEvent(message);
      else this.#calls.get(message.id)?.(message);
    });
  }

  static async open(address: string): Promise<Connection> {
    const socket = new WebSocket(address, { maxPayload: 256 << 20 });
    await new Promise<void>((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new Connection(socket);
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, ({ result, error }) => {
        this.#calls.delete(id);
        if (error === undefined) resolve(result ?? {});
        else reject(new Error(`${method}: ${error.message}`));
      });
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}

class PageTab implements Tab {
  readonly #connection: Connection;
  readonly #session: string;
  #loaded: () => void = () => undefined;
  #traced: TraceEvent[] = [];
  #traceEnded: () => void = () => undefined;
  problems: string[] = [];

  private constructor(connection: Connection, session: string) {
    this.#connection = connection;
    this.#session = session;
    connection.onEvent = (message) => this.#take(message);
  }

  static async create(connection: Connection): Promise<PageTab> {
    const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new PageTab(connection, sessionId as string);
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await tab.#send(`${domain}.enable`);
    return tab;
  }

  #send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#connection.send(method, params, this.#session);
  }

  #take({ method, params = {} }: Message): void {
    if (method === "Page.loadEventFired") this.#loaded();
    else if (method === "Tracing.dataCollected") this.#traced.push(...(params as { value: TraceEvent[] }).value);
    else if (method === "Tracing.tracingComplete") this.#traceEnded();
    else if (method === "Runtime.exceptionThrown") {
      const { exceptionDetails } = params as {
        exceptionDetails: { text: string; exception?: { description?: string } };
      };
      this.problems.push(`${exceptionDetails.text} ${exceptionDetails.exception?.description ?? ""}`);
    } else if (method === "Runtime.consoleAPICalled" && params["type"] === "error") {
      this.problems.push(`console.error ${JSON.stringify(params["args"])}`);
    } else if (method === "Log.entryAdded") {
      const { entry } = params as { entry: { level: string; text: string; url?: string } };
      if (entry.level === "error") this.problems.push(`${entry.text} ${entry.url ?? ""}`);
    } else if (method === "Network.requestWillBeSent") {
      const { request } = params as { request: { url: string } };
      if (!/^(?:data|blob|about):|^http:\/\/127\.0\.0\.1[:/]/.test(request.url))
        this.problems.push(`asks another host: ${request.url}`);
    }
  }

  async open(url: string, { width, height, scheme }: Screen): Promise<void> {
    // An address that only differs in its fragment would not load the page again.
    await this.#navigate("about:blank");
    this.problems = [];
    await this.#send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: width < 600,
    });
    await this.#send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await this.#navigate(url);
  }

  async #navigate(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${url} did not load within 120 s`)), 120_000);
      this.#loaded = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    await this.#send("Page.navigate", { url });
    await loaded;
  }

  async type(text: string): Promise<void> {
    await this.#send("Input.insertText", { text });
  }

  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await this.#send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value: T }; exceptionDetails?: { exception?: { description?: string } } };
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? "the page threw");
    return result.value;
  }

  async trace(use: () => Promise<void>): Promise<{ tasks: Task[]; marks: Map<string, number> }> {
    this.#traced = [];
    const ended = new Promise<void>((resolve) => (this.#traceEnded = resolve));
    const traceConfig = { includedCategories: taskCategories };
    await this.#send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
    await use();
    await this.#send("Tracing.end");
    await ended;
    const mains = new Set(
      this.#traced.flatMap(({ name, args, pid, tid }) =>
        name === "thread_name" && args?.name === "CrRendererMain" ? [`${pid}/${tid}`] : [],
      ),
    );
    const own = this.#traced.filter(({ pid, tid }) => mains.has(`${pid}/${tid}`));
    const tasks = own.filter(({ name, tdur }) => name === "RunTask" && tdur !== undefined);
    const begin = tasks.reduce((least, { ts }) => Math.min(least, ts), Infinity);
    return {
      tasks: tasks.map(({ ts, tdur = 0 }) => ({ startMs: (ts - begin) / 1_000, cpuMs: tdur / 1_000 })),
      marks: new Map(own.map(({ name, ts }) => [name, (ts - begin) / 1_000])),
    };
  }

  async press(selector: string): Promise<void> {
    const place = await this.evaluate<{ x: number; y: number }>(
      `(() => { const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`,
    );
    for (const type of ["mousePressed", "mouseReleased"])
      await this.#send("Input.dispatchMouseEvent", { type, ...place, button: "left", clickCount: 1 });
  }

  async screenshot(format: "png" | "webp" = "png"): Promise<Uint8Array> {
    const { data } = await this.#send("Page.captureScreenshot", { format });
    return Buffer.from(data as string, "base64");
  }
}
