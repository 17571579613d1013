import type { Status } from "../../meta/status.js";
import { boundText, maxShown } from "../internal/go-text.js";

/** Maximum length of the message and of the name in a Status, in characters. */
const maxMessage = 64 * 1024;
/** Maximum number of causes in a Status. */
export const maxCauses = 1_000;

/**
 * Bounds the texts of a Status. A kube-apiserver repeats input of any length, several times; this server answers a
 * request of 3 MB with at most a few kilobytes per cause.
 */
export function boundStatus(status: Status): Status {
  const { message, details } = status;
  if (!isLarge(status)) return status;
  const { name, causes } = details ?? {};
  return {
    ...status,
    ...(message !== undefined && { message: boundText(message, maxMessage) }),
    ...(details !== undefined && {
      details: {
        ...details,
        ...(name !== undefined && { name: boundText(name, maxMessage) }),
        ...(causes !== undefined && {
          causes: causes.slice(0, maxCauses).map((cause) => ({
            ...cause,
            ...(cause.message !== undefined && { message: boundText(cause.message) }),
            ...(cause.field !== undefined && { field: boundText(cause.field) }),
          })),
        }),
      },
    }),
  };
}

function isLarge({ message, details }: Status): boolean {
  const long = (text: string | undefined, max = maxShown): boolean => (text?.length ?? 0) > max;
  const causes = details?.causes ?? [];
  return (
    long(message, maxMessage) ||
    long(details?.name, maxMessage) ||
    causes.length > maxCauses ||
    causes.some((cause) => long(cause.message) || long(cause.field))
  );
}
