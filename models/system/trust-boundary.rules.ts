import { reachesMetadata } from '../../core/security/metadata-port.js';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\]|::1):\d+$/;

/** What is open, in one line, and what closes it. */
export interface Boundary {
  readonly message: string;
  readonly remedy: string;
}

/** What stands between the workloads of tenants. */
export interface KnownIsolation {
  readonly kind: string;
  readonly explanation: string;
  /** TCP ports that workloads may connect to; null: all. */
  readonly ports: readonly number[] | null;
}

/** @returns null where workloads reach neither each other nor what the platform's machines can reach */
export function openWorkloads({ kind, explanation, ports }: KnownIsolation): Boundary | null {
  if (kind === 'none')
    return {
      message: explanation,
      remedy:
        'Run the platform as root on Linux or on Kubernetes before tenants that do not trust each other use it.',
    };
  // Pods have a network of their own, whose policies close it.
  if (kind === 'uid' && (ports === null || reachesMetadata(ports)))
    return {
      message: explanation,
      remedy:
        'Close what workloads must not reach in the firewall of each host, by the users that they run as: docs/guide/production.md has the rules. This check does not see a firewall.',
    };
  return null;
}

/**
 * Whether tenants' programs can reach a Temporal that lets everybody in: workloads that run as processes
 * share the network of their machine, and without a certificate or a key the platform signs in to Temporal with
 * nothing but its address. The kernel's rules know ports, whatever the address.
 * @param ports that workloads may connect to; null: all
 * @returns null where they do not share a machine, where its port is closed to them, or where Temporal asks who calls
 */
export function openTemporal({
  orchestrator,
  temporalAddress,
  signsIn,
  ports,
}: {
  orchestrator: string;
  temporalAddress: string;
  signsIn: boolean;
  ports: readonly number[] | null;
}): Boundary | null {
  if (signsIn || orchestrator !== 'process') return null;
  const port = Number(temporalAddress.slice(temporalAddress.lastIndexOf(':') + 1));
  if (ports?.includes(port) === false) return null;
  const [programs, firewall] = LOOPBACK.test(temporalAddress)
    ? ['every program on this machine', '']
    : [
        'every program that reaches it',
        ' Or close its port to workloads in the firewall of each host (docs/guide/production.md); this check does not see a firewall.',
      ];
  return {
    message: `Temporal at ${temporalAddress} has no sign-in: ${programs}, workloads of tenants included, can read and change its workflows.`,
    remedy: `Before tenants that do not trust each other use it: name a Temporal of your own in TEMPORAL_ADDRESS that workloads cannot reach or that asks for a certificate or a key (SERVICE_TEMPORAL_TLS_CERT, SERVICE_TEMPORAL_API_KEY), or run workloads on Kubernetes.${firewall}`,
  };
}
