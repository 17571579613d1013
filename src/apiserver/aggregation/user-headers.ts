import type { UserInfo } from "../http/user-info.js";

/** Returns the headers by which an aggregated API server knows who sent a request. */
export function userHeaders({ name, uid, groups, extra }: UserInfo): [string, string][] {
  return [
    ["X-Remote-User", name],
    ...(uid === "" ? [] : [["X-Remote-Uid", uid] as [string, string]]),
    ...groups.map((group): [string, string] => ["X-Remote-Group", group]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value): [string, string] => [`X-Remote-Extra-${encodeURIComponent(key)}`, value]),
    ),
  ];
}
