import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "../../../kinds/networking/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { parseRange, rangeHolds, rangeProblem } from "../../objects/addresses.js";
import { forbidden, invalid, notSupported, portName, portNumber, required } from "../shared/field-errors.js";
import { selectorErrors } from "../shared/selectors.js";

const PROTOCOLS = ["TCP", "UDP", "SCTP"];
const TYPES = ["Ingress", "Egress"];

/** Errors of a NetworkPolicy. */
export function validateNetworkPolicy(policy: NetworkPolicy): FieldError[] {
  return policyErrors(policy, new Set());
}

/** Errors of a changed NetworkPolicy: ranges that it had before are not looked at again. */
export function validateNetworkPolicyUpdate(policy: NetworkPolicy, old: NetworkPolicy): FieldError[] {
  const peers = [
    ...(old.spec?.ingress ?? []).flatMap(({ from = [] }) => from),
    ...(old.spec?.egress ?? []).flatMap(({ to = [] }) => to),
  ];
  return policyErrors(
    policy,
    new Set(peers.flatMap(({ ipBlock }) => (ipBlock === undefined ? [] : [ipBlock.cidr, ...(ipBlock.except ?? [])]))),
  );
}

function policyErrors({ spec }: NetworkPolicy, known: ReadonlySet<string>): FieldError[] {
  const rule = (
    at: string,
    ports: readonly NetworkPolicyPort[] = [],
    peersAt: string,
    peers: readonly NetworkPolicyPeer[] = [],
  ): FieldError[] => [
    ...ports.flatMap((port, index) => portErrors(port, `${at}.ports[${String(index)}]`)),
    ...peers.flatMap((peer, index) => peerErrors(peer, `${peersAt}[${String(index)}]`, known)),
  ];
  const errors = [
    ...selectorErrors(spec?.podSelector, "spec.podSelector"),
    ...(spec?.ingress ?? []).flatMap(({ ports, from }, index) =>
      rule(`spec.ingress[${String(index)}]`, ports, `spec.ingress[${String(index)}].from`, from),
    ),
    ...(spec?.egress ?? []).flatMap(({ ports, to }, index) =>
      rule(`spec.egress[${String(index)}]`, ports, `spec.egress[${String(index)}].to`, to),
    ),
  ];
  const types = spec?.policyTypes ?? [];
  if (types.length > TYPES.length)
    return [...errors, invalid("spec.policyTypes", types, "may not specify more than two policyTypes")];
  return [
    ...errors,
    ...types.flatMap((type, index) =>
      TYPES.includes(type) ? [] : [notSupported(`spec.policyTypes[${String(index)}]`, type, TYPES)],
    ),
  ];
}

function portErrors({ protocol, port, endPort }: NetworkPolicyPort, at: string): FieldError[] {
  const errors =
    protocol === undefined || PROTOCOLS.includes(protocol) ? [] : [notSupported(`${at}.protocol`, protocol, PROTOCOLS)];
  if (typeof port === "number") {
    errors.push(...portNumber(`${at}.port`, port));
    if (endPort === undefined) return errors;
    // The error shows the port that the end lies before.
    if (endPort < port) errors.push(invalid(`${at}.endPort`, port, "must be greater than or equal to `port`"));
    return [...errors, ...portNumber(`${at}.endPort`, endPort)];
  }
  if (endPort !== undefined)
    errors.push(
      invalid(
        `${at}.endPort`,
        endPort,
        `may not be specified when \`port\` is ${port === undefined ? "not specified" : "non-numeric"}`,
      ),
    );
  return port === undefined ? errors : [...errors, ...portName(`${at}.port`, port)];
}

function peerErrors(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  at: string,
  known: ReadonlySet<string>,
): FieldError[] {
  const selectors = podSelector !== undefined || namespaceSelector !== undefined;
  if (!selectors && ipBlock === undefined) return [required(at, "must specify a peer")];
  return [
    ...selectorErrors(podSelector, `${at}.podSelector`),
    ...selectorErrors(namespaceSelector, `${at}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : blockErrors(ipBlock, `${at}.ipBlock`, known)),
    ...(selectors && ipBlock !== undefined ? [forbidden(at, "may not specify both ipBlock and another peer")] : []),
  ];
}

function blockErrors({ cidr, except = [] }: IPBlock, at: string, known: ReadonlySet<string>): FieldError[] {
  if (cidr === "") return [required(`${at}.cidr`)];
  const errors: FieldError[] = [];
  const look = (field: string, text: string): void => {
    const problem = known.has(text) ? undefined : rangeProblem(text, false);
    if (problem !== undefined) errors.push(invalid(field, text, problem));
  };
  look(`${at}.cidr`, cidr);
  const whole = parseRange(cidr);
  if (whole === undefined) return errors;
  except.forEach((text, index) => {
    const field = `${at}.except[${String(index)}]`;
    look(field, text);
    const part = parseRange(text);
    if (part !== undefined && (!rangeHolds(whole, part.first) || whole.length >= part.length))
      errors.push(invalid(field, text, "must be a strict subset of `cidr`"));
  });
  return errors;
}
