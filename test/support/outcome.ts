type Json = Readonly<Record<string, unknown>>;

const reasons = [
  "Required value",
  "Invalid value",
  "Unsupported value",
  "Duplicate value",
  "Not found",
  "Forbidden",
  "Too long",
  "Too many",
  "Too few",
  "Internal error",
];
const cause = new RegExp(`^(.*?): (${reasons.join("|")})`, "s");

/** Placeholder for any message: messages are only compared by whether there is one. */
const TEXT = "<text>";

/** Returns the parts of a cause that clients act upon: the field and the kind of error, which opens the message. */
export function fieldAndReason(text: string): string {
  const [, field = "", reason = ""] = cause.exec(text) ?? [undefined, text];
  return reason === "" ? field : `${field}: ${reason}`;
}

/** Returns causes as a sorted set of fields and reasons: the number of details per field does not count. */
export function causeSet(causes: readonly string[]): readonly string[] {
  return [...new Set(causes.map(fieldAndReason))].sort();
}

/** Returns a `Warning` header as the number of its warnings. */
export function warningCount(header: string): number {
  return [...header.matchAll(/299 - "(?:[^"\\]|\\.)*"/g)].length;
}

/**
 * Returns an answer in the short form of the recordings without its wording: messages become a placeholder, `causes` a
 * sorted list, `warning` a number. Use it on recorded and actual answers. Data of objects stays: only messages of a
 * Status and of conditions count as wording.
 */
export function outcomeOf(answer: Json): Json {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(answer))
    if (key === "message") out[key] = wordless(value);
    else if (key === "causes") out[key] = (value as readonly string[]).map(fieldAndReason).sort();
    else if (key === "warning") out[key] = warningCount(String(value));
    else out[key] = key === "status" && typeof value === "object" ? withoutConditionTexts(value) : value;
  return out;
}

function wordless(message: unknown): unknown {
  if (Array.isArray(message)) return causeSet(message as readonly string[]);
  return typeof message === "string" && message !== "" ? TEXT : message;
}

/** Causes of a Status. */
interface Cause {
  readonly reason?: string;
  readonly field?: string;
}

/**
 * Returns the parts of a Status that clients act upon: code, reason, details with sorted causes, and whether there is a
 * message.
 */
export function statusOutcome(status: Json): Json {
  const { message, details, ...rest } = status;
  const { causes, ...others } = (details ?? {}) as { causes?: readonly Cause[] };
  return {
    ...rest,
    message: wordless(message),
    details: {
      ...others,
      causes: (causes ?? []).map(({ reason, field }) => `${reason ?? ""} ${field ?? ""}`).sort(),
    },
  };
}

/**
 * Returns causes in the form of the recordings, `field reason N` and `warning N`, without the index N of the message.
 */
export function withoutPlaces(causes: readonly string[]): readonly string[] {
  return causes.map((cause) => cause.replace(/ \d+$/, "")).sort();
}

/** Returns a kind's `status` with the messages of its conditions replaced. */
export function withoutConditionTexts(status: unknown): unknown {
  const { conditions } = (status ?? {}) as { conditions?: readonly Json[] };
  if (!Array.isArray(conditions)) return status;
  return {
    ...(status as Json),
    conditions: conditions.map((each: Json) =>
      "message" in each ? { ...each, message: wordless(each["message"]) } : each,
    ),
  };
}

/**
 * Returns an answer, or a part of one, without its wording: every failed Status as returned by `statusOutcome`, and
 * conditions without their messages.
 */
export function withoutWording(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWording);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutWording(member)]));
  return members["status"] === "Failure" ? statusOutcome(members) : withoutConditionTexts(members);
}
