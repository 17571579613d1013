import { headerBytes } from "../../internal/header-text.js";
import type { UserInfo } from "../http/user-info.js";

/** Returns the headers by which an aggregated API server knows who sent a request, as UTF-8. */
export function userHeaders({ name, uid, groups, extra }: UserInfo): [string, string][] {
  return [
    ["X-Remote-User", headerBytes(name)],
    ...(uid === "" ? [] : [["X-Remote-Uid", headerBytes(uid)] as [string, string]]),
    ...groups.map((group): [string, string] => ["X-Remote-Group", headerBytes(group)]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value): [string, string] => [`X-Remote-Extra-${encodeURIComponent(key)}`, headerBytes(value)]),
    ),
  ];
}
