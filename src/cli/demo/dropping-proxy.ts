import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

/** TCP proxy that can cut all its connections at once, like a load balancer that restarts. */
export interface DroppingProxy {
  /** Port on the loopback interface. */
  readonly port: number;
  /** Cuts every open connection and returns their number. New ones are still accepted. */
  drop(): number;
  /** Rejects new connections while `on` is true. */
  refuse(on: boolean): void;
  /** Number of connections accepted so far. */
  readonly accepted: number;
  /** Number of open connections. */
  readonly open: number;
  /** Number of chunks received from the server. */
  readonly answered: number;
  /** Cuts every connection and stops listening. */
  close(): Promise<void>;
}

/** Listens on a free loopback port and forwards every connection to `host:port`. */
export async function createDroppingProxy(host: string, port: number): Promise<DroppingProxy> {
  const pairs = new Set<() => void>();
  let refusing = false;
  let accepted = 0;
  let answered = 0;
  const server = createServer((near) => {
    if (refusing) {
      near.destroy();
      return;
    }
    accepted++;
    const far = connect(port, host);
    const cut = (): void => {
      pairs.delete(cut);
      near.destroy();
      far.destroy();
    };
    pairs.add(cut);
    join(near, far, cut);
    join(far, near, cut);
    far.on("data", () => answered++);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    drop() {
      const count = pairs.size;
      for (const cut of [...pairs]) cut();
      return count;
    },
    refuse(on) {
      refusing = on;
    },
    get accepted() {
      return accepted;
    },
    get open() {
      return pairs.size;
    },
    get answered() {
      return answered;
    },
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const cut of [...pairs]) cut();
      await closed;
    },
  };
}

function join(from: Socket, to: Socket, cut: () => void): void {
  from.setNoDelay(true);
  from.on("error", cut);
  from.on("close", cut);
  from.pipe(to);
}
