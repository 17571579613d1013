const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domainPattern = new RegExp(`^(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const pathPattern = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const longest = 255;

/** Returns the tag of an image, `latest` without a tag or digest; `undefined` for an invalid name. */
function tagOf(image: string): string | undefined {
  const [plain = "", digest, more] = image.split("@");
  const tag = /:([^/:]*)$/.exec(plain)?.[1];
  const name = tag === undefined ? plain : plain.slice(0, -tag.length - 1);
  if (
    more !== undefined ||
    (digest !== undefined && !digestPattern.test(digest)) ||
    (tag !== undefined && !tagPattern.test(tag)) ||
    /^[a-f0-9]{64}$/.test(image)
  )
    return undefined;
  const slash = name.indexOf("/");
  const first = name.slice(0, Math.max(slash, 0));
  const hasDomain = slash > 0 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const [domain, path] = hasDomain
    ? [first, name.slice(slash + 1)]
    : ["docker.io", slash > 0 ? name : `library/${name}`];
  if (!domainPattern.test(domain) || !pathPattern.test(path) || domain.length + path.length + 1 > longest)
    return undefined;
  return tag ?? (digest === undefined ? "latest" : "");
}

/** Returns the default pull policy: `Always` for `latest` and for images without a tag or digest. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  return tagOf(image) === "latest" ? "Always" : "IfNotPresent";
}
