import { expect, it } from "vitest";
import type { OpenWatch, WatchScope } from "../../../../src/apiserver/storage/watcher-set.js";
import { WatcherSet } from "../../../../src/apiserver/storage/watcher-set.js";

interface Pod {
  readonly key: string;
  readonly exists: boolean;
  readonly node: string;
}

const pod = (key: string, node: string): Pod => ({ key, exists: true, node });
const gone = (key: string): Pod => ({ key, exists: false, node: "" });
const onNode = (value: string): WatchScope<Pod> => ({
  namespace: "",
  name: "",
  indexed: { field: "spec.nodeName", value, read: ({ node }) => node },
});
const scopes: Readonly<Record<string, WatchScope<Pod>>> = {
  all: { namespace: "", name: "" },
  named: { namespace: "", name: "web" },
  "namespace a": { namespace: "a", name: "" },
  "namespace b": { namespace: "b", name: "" },
  "a/web": { namespace: "a", name: "web" },
  "a/other": { namespace: "a", name: "other" },
  "node 1": onNode("1"),
  "node 2": onNode("2"),
};

function open(): { watches: WatcherSet<Pod>; seen: string[]; opened: Map<string, OpenWatch<Pod>> } {
  const watches = new WatcherSet<Pod>();
  const seen: string[] = [];
  const opened = new Map<string, OpenWatch<Pod>>();
  for (const [title, scope] of Object.entries(scopes)) {
    const watch: OpenWatch<Pod> = {
      scope,
      change: () => seen.push(title),
      end() {
        watches.delete(watch);
        seen.push(`end of ${title}`);
      },
    };
    opened.set(title, watch);
    watches.add(watch);
  }
  return { watches, seen, opened };
}

it.each<[string, Pod, Pod | undefined, string[]]>([
  ["a created pod", pod("a/web", "1"), undefined, ["all", "named", "namespace a", "a/web", "node 1"]],
  ["a pod of another name", pod("a/db", ""), undefined, ["all", "namespace a"]],
  ["a pod in another namespace", pod("b/web", "2"), undefined, ["all", "named", "namespace b", "node 2"]],
  ["a pod that gets a node", pod("c/x", "2"), pod("c/x", ""), ["all", "node 2"]],
  ["a pod that changes its node", pod("c/x", "2"), pod("c/x", "1"), ["all", "node 1", "node 2"]],
  ["a pod that stays on its node", pod("c/x", "1"), pod("c/x", "1"), ["all", "node 1"]],
  ["a deleted pod", gone("a/other"), pod("a/other", "1"), ["all", "namespace a", "a/other", "node 1"]],
  ["an object of the cluster", pod("web", ""), undefined, ["all", "named"]],
])("a change notifies only the watches that may see it: %s", (_title, version, old, wanted) => {
  const { watches, seen } = open();
  watches.notify({ version, old });
  expect(seen.sort()).toEqual([...wanted].sort());
});

it("a change doesn't notify a watch that was removed", () => {
  const { watches, seen, opened } = open();
  for (const title of ["all", "namespace a", "node 1"]) watches.delete(opened.get(title)!);
  watches.notify({ version: pod("a/web", "1"), old: undefined });
  expect(seen.sort()).toEqual(["a/web", "named"]);
  expect(watches.size).toBe(5);
});

it("counts the watches that a write concerns like kube-apiserver", () => {
  const { watches } = open();
  expect(watches.interested("a", "web")).toBe(3);
  expect(watches.interested("a", "")).toBe(2);
  expect(watches.interested("c", "web")).toBe(1);
  expect(watches.interested("", "web")).toBe(2);
});

it("ends all watches", () => {
  const { watches, seen } = open();
  watches.endAll();
  expect(seen).toHaveLength(8);
  expect(watches.size).toBe(0);
});
