import { ConfigError } from "../../../errors/errors.js";
import type { CelProgram } from "../../cel/cel.js";
import { compileCel, evaluateCel } from "../../cel/cel.js";
import { CelCompileError } from "../../cel/checker/check.js";
import type { CelStaticType } from "../../cel/checker/types.js";
import { dynType, objectType } from "../../cel/checker/types.js";
import { fromCel, toCel } from "../../cel/values/data.js";
import { CelError } from "../../cel/values/values.js";
import type { UserInfo } from "../../http/user-info.js";
import { AuthenticationError } from "../authenticators/authenticator.js";
import type { JwtAuthenticator, PrefixedClaimOrExpression } from "./configuration.js";
import type { TokenClaims } from "./verify.js";

const text: CelStaticType = { kind: "string" };
const texts: CelStaticType = { kind: "list", item: text };
const claimsType: CelStaticType = { kind: "map", key: text, value: dynType };
const userType = objectType("kubernetes.UserInfo", {
  username: text,
  uid: text,
  groups: texts,
  extra: { kind: "map", key: text, value: texts },
});

/** Converts verified claims to a user. Throws an `AuthenticationError` if a rule isn't satisfied. */
export type ClaimMapper = (claims: TokenClaims) => UserInfo;

/** A text, or nothing if it isn't configured. */
type Program = CelProgram | undefined;

/** Compiles the expressions of an authenticator. Throws a `ConfigError` that names the invalid one. */
export function createClaimMapper(authenticator: JwtAuthenticator, at: string): ClaimMapper {
  const { claimMappings, claimValidationRules = [], userValidationRules = [] } = authenticator;
  const { username, groups, uid, extra = [] } = claimMappings;
  const onClaims = (expression: string | undefined, place: string, condition = false): Program =>
    (expression ?? "") === "" ? undefined : compile(expression!, `${at}.${place}`, ["claims", claimsType], condition);
  const programs = {
    username: onClaims(username.expression, "claimMappings.username.expression"),
    groups: onClaims(groups?.expression, "claimMappings.groups.expression"),
    uid: onClaims(uid?.expression, "claimMappings.uid.expression"),
    extra: extra.map(({ key, valueExpression }, index) => ({
      key,
      program: onClaims(valueExpression, `claimMappings.extra[${index}].valueExpression`)!,
    })),
    claims: claimValidationRules.map(({ expression }, index) =>
      onClaims(expression, `claimValidationRules[${index}].expression`, true),
    ),
    user: userValidationRules.map(({ expression }, index) =>
      compile(expression, `${at}.userValidationRules[${index}].expression`, ["user", userType], true),
    ),
  };
  requireEmailVerified(programs, `${at}.claimMappings.username.expression`);
  return (claims) => {
    const name = programs.username
      ? oneText(evaluated(programs.username, { claims }), "username")
      : usernameClaim(claims, username);
    const user: UserInfo = {
      name,
      groups: programs.groups ? listed(evaluated(programs.groups, { claims }), "groups") : groupsClaim(claims, groups),
      uid: programs.uid ? oneText(evaluated(programs.uid, { claims }), "uid") : uidClaim(claims, uid?.claim),
      extra: Object.fromEntries(
        programs.extra
          .map(({ key, program }) => [key, listed(evaluated(program, { claims }), key)] as const)
          .filter(([, values]) => values.length > 0),
      ),
    };
    claimValidationRules.forEach(({ claim = "", requiredValue = "", message }, index) => {
      const program = programs.claims[index];
      if (program === undefined) requireClaim(claims, claim, requiredValue);
      else requireTrue(program, { claims }, message);
    });
    const shown = { username: user.name, uid: user.uid, groups: user.groups, extra: user.extra };
    userValidationRules.forEach(({ message }, index) => requireTrue(programs.user[index]!, { user: shown }, message));
    return user;
  };
}

function compile(
  expression: string,
  at: string,
  variable: readonly [string, CelStaticType],
  condition: boolean,
): CelProgram {
  try {
    const program = compileCel(expression, new Map([variable]));
    if (condition && program.type.kind !== "bool") throw new CelCompileError("must evaluate to bool");
    return program;
  } catch (error) {
    if (error instanceof CelCompileError) throw new ConfigError(`${at}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** An address is only an identity if the issuer has verified it. */
function requireEmailVerified(
  programs: { username: Program; extra: readonly { program: CelProgram }[]; claims: readonly Program[] },
  at: string,
): void {
  const uses = (program: Program, claim: string): boolean =>
    program !== undefined && new RegExp(`claims\\??\\.\\??${claim}\\b`).test(program.expression.replace(/\s/g, ""));
  const others = [programs.username, ...programs.extra.map(({ program }) => program), ...programs.claims];
  if (uses(programs.username, "email") && !others.some((program) => uses(program, "email_verified")))
    throw new ConfigError(
      `${at}: claims.email_verified must be used in an expression because claims.email is used here`,
    );
}

function evaluated(program: CelProgram, variables: Readonly<Record<string, unknown>>): unknown {
  try {
    const lazy = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, () => toCel(value)]));
    return fromCel(evaluateCel(program, lazy).value);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    throw new AuthenticationError(`oidc: expression '${program.expression}' resulted in error: ${error.message}`);
  }
}

function requireTrue(program: CelProgram, variables: Readonly<Record<string, unknown>>, message = ""): void {
  if (evaluated(program, variables) === true) return;
  const why = message === "" ? `expression '${program.expression}' failed` : message;
  throw new AuthenticationError(`oidc: validation failed: ${why}`);
}

function requireClaim(claims: TokenClaims, name: string, value: string): void {
  if (!Object.hasOwn(claims, name))
    throw new AuthenticationError(`oidc: required claim ${name} not present in ID token`);
  if (claims[name] !== value) throw new AuthenticationError(`oidc: required claim ${name} value does not match`);
}

function oneText(value: unknown, what: string): string {
  if (typeof value !== "string") throw new AuthenticationError(`oidc: ${what} expression must return a string`);
  return value;
}

/** Converts the result of an expression to a list: a text, a list of texts, or null. Empty texts are dropped. */
function listed(value: unknown, what: string): string[] {
  const values: unknown[] = value === null ? [] : Array.isArray(value) ? value : [value];
  return values.map((each) => oneText(each, what)).filter((each) => each !== "");
}

/** Returns a claim that is a text. Go decodes null as an empty one. */
function textClaim(claims: TokenClaims, name: string): string {
  const value = Object.hasOwn(claims, name) ? (claims[name] ?? "") : undefined;
  if (typeof value !== "string") throw new AuthenticationError(`oidc: claim ${JSON.stringify(name)} must be a string`);
  return value;
}

function usernameClaim(claims: TokenClaims, { claim = "", prefix = "" }: PrefixedClaimOrExpression): string {
  const name = textClaim(claims, claim);
  if (claim === "email" && claims["email_verified"] !== undefined && claims["email_verified"] !== true)
    throw new AuthenticationError("oidc: email not verified");
  return prefix + name;
}

function groupsClaim(claims: TokenClaims, { claim = "", prefix = "" }: PrefixedClaimOrExpression = {}): string[] {
  if (claim === "" || !Object.hasOwn(claims, claim)) return [];
  // Go decodes null as an empty list, and as an empty text in a list.
  const value = claims[claim] ?? [];
  const values: unknown[] = Array.isArray(value) ? value.map((each: unknown) => each ?? "") : [value];
  return values.map((each) => {
    if (typeof each !== "string")
      throw new AuthenticationError(`oidc: claim ${JSON.stringify(claim)} must be a string or a list of strings`);
    return prefix + each;
  });
}

function uidClaim(claims: TokenClaims, claim = ""): string {
  return claim === "" ? "" : textClaim(claims, claim);
}
