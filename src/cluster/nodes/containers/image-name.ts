const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const reference = new RegExp(`^${part}(?:/${part})*(?::\\w[\\w.-]{0,127})?(?:@[A-Za-z][\\w+.-]*:[0-9a-fA-F]{32,})?$`);

/** Returns the reason why a container runtime doesn't accept the name of an image; `undefined` if it does. */
export function findImageNameProblem(image: string): string | undefined {
  const [host = "", ...rest] = image.split("/");
  const hasHost = rest.length > 0 && (/[.:A-Z]/.test(host) || host === "localhost");
  const name = hasHost ? rest.join("/") : rest.length === 0 ? `library/${image}` : image;
  const repository = name.split(":", 1)[0]!;
  if (repository !== repository.toLowerCase())
    return `invalid reference format: repository name (${repository}) must be lowercase`;
  return reference.test(name) ? undefined : "invalid reference format";
}
