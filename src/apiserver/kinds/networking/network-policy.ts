import { pushAll } from "../../../internal/push-all.js";
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "../../../kinds/networking/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { parseRange, rangeHolds, rangeProblem } from "../../objects/addresses.js";
import { rangeWarnings } from "../shared/address-warnings.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { formatSelector } from "../shared/print-labels.js";
import { selectorErrors } from "../shared/selectors.js";

const policyTypes = ["Ingress", "Egress"];

interface Rule {
  readonly ports?: readonly NetworkPolicyPort[] | undefined;
  readonly peers?: readonly NetworkPolicyPeer[] | undefined;
  readonly at: string;
  readonly peersAt: string;
}

/** Returns the rules of both directions in the same form. */
function rulesOf({ spec }: NetworkPolicy): Rule[] {
  return [
    ...(spec?.ingress ?? []).map(({ ports = [], from: peers = [] }, index) => {
      const at = `spec.ingress[${String(index)}]`;
      return { ports, peers, at, peersAt: `${at}.from` };
    }),
    ...(spec?.egress ?? []).map(({ ports = [], to: peers = [] }, index) => {
      const at = `spec.egress[${String(index)}]`;
      return { ports, peers, at, peersAt: `${at}.to` };
    }),
  ];
}

/** Validates a policy. `known`: ranges that aren't validated. */
function policyErrors(policy: NetworkPolicy, known: ReadonlySet<string>): FieldError[] {
  const { podSelector, policyTypes: types = [] } = policy.spec ?? {};
  return [
    ...selectorErrors(podSelector, "spec.podSelector"),
    ...rulesOf(policy).flatMap(({ ports, peers, at, peersAt }) => [
      ...check.eachItem(ports, `${at}.ports`, portErrors),
      ...check.eachItem(peers, peersAt, (peer, path) => peerErrors(peer, path, known)),
    ]),
    ...(types.length > policyTypes.length
      ? [invalid("spec.policyTypes", types, "may not specify more than two policyTypes")]
      : check.eachItem(types, "spec.policyTypes", (type, at) => check.oneOf(at, type, policyTypes))),
  ];
}

function portErrors({ protocol, port, endPort }: NetworkPolicyPort, at: string): FieldError[] {
  const errors = check.optionalOneOf(`${at}.protocol`, protocol, check.protocols);
  if (typeof port === "number") {
    pushAll(errors, check.portNumber(`${at}.port`, port));
    if (endPort === undefined) return errors;
    if (endPort < port) errors.push(invalid(`${at}.endPort`, endPort, "must be greater than or equal to `port`"));
    return [...errors, ...check.portNumber(`${at}.endPort`, endPort)];
  }
  if (endPort !== undefined) errors.push(invalid(`${at}.endPort`, endPort, "needs a numeric `port`"));
  return port === undefined ? errors : [...errors, ...check.portName(`${at}.port`, port)];
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
  const errors = rangeErrors(`${at}.cidr`, cidr, known);
  const whole = parseRange(cidr);
  if (whole === undefined) return errors;
  return [
    ...errors,
    ...check.eachItem(except, `${at}.except`, (text, field) => {
      const part = parseRange(text);
      return [
        ...rangeErrors(field, text, known),
        ...(part !== undefined && (!rangeHolds(whole, part.first) || whole.length >= part.length)
          ? [invalid(field, text, "must be a strict subset of `cidr`")]
          : []),
      ];
    }),
  ];
}

function rangeErrors(field: string, text: string, known: ReadonlySet<string>): FieldError[] {
  const problem = known.has(text) ? undefined : rangeProblem(text, false);
  return problem === undefined ? [] : [invalid(field, text, problem)];
}

export const networkPolicy: KindDefinition = defineBuiltin<NetworkPolicy>({
  resource: "networking.k8s.io/networkpolicies",
  generation: { counts: "fromOne", emptyValues: true },
  defaults: {
    "io.k8s.api.networking.v1.NetworkPolicy": ({ spec }: NetworkPolicy) => {
      if (spec === undefined || (spec.policyTypes ?? []).length > 0) return;
      spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    },
    "io.k8s.api.networking.v1.NetworkPolicyPort": (port: NetworkPolicyPort) => {
      port.protocol ??= "TCP";
    },
  },
  validate: {
    create: (policy) => policyErrors(policy, new Set()),
    update(policy, old) {
      const blocks = rulesOf(old).flatMap(({ peers = [] }) => peers.flatMap(({ ipBlock }) => ipBlock ?? []));
      return policyErrors(policy, new Set(blocks.flatMap(({ cidr, except = [] }) => [cidr, ...except])));
    },
  },
  warnings: (policy) =>
    rulesOf(policy).flatMap(({ peers = [], peersAt }) =>
      check.eachItem(peers, peersAt, ({ ipBlock }, at) => [
        ...(ipBlock === undefined ? [] : rangeWarnings(`${at}.ipBlock.cidr`, ipBlock.cidr)),
        ...check.eachItem(ipBlock?.except, `${at}.ipBlock.except`, (range, path) => rangeWarnings(path, range)),
      ]),
    ),
  printer: { columns: "Pod-Selector,Age", cells: ({ spec }, age) => [formatSelector(spec?.podSelector), age] },
});
