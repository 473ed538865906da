import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { allowEntries } from '../../core/security/outbound-url.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** What the administrator lets the platform call beside the public internet. */
export interface OutboundAllowance {
  readonly networks: ReadonlyArray<OnPort & { readonly network: readonly [Address, number] }>;
  /** Lower case; `*.example.org` stands for every name below example.org. */
  readonly names: ReadonlyArray<OnPort & { readonly name: string }>;
}

interface OnPort {
  /** Null: every port. */
  readonly port: number | null;
}

/** Ranges that a name of the allow-list opens. Others (link-local, the metadata services of clouds, multicast) need their network. */
const OPENED_BY_NAME: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'uniqueLocal',
  'carrierGradeNat',
]);

/** @param text the setting SERVICE_OUTBOUND_ALLOW; its form was checked with the settings */
export function parseAllowance(text: string): OutboundAllowance {
  const networks: Array<OutboundAllowance['networks'][number]> = [];
  const names: Array<OutboundAllowance['names'][number]> = [];
  for (const { target, port } of allowEntries(text)) {
    if (target.includes('/')) networks.push({ network: ipaddr.parseCIDR(target), port });
    else if (isIP(target) !== 0) networks.push({ network: wholeAddress(ipaddr.parse(target)), port });
    else names.push({ name: target.toLowerCase(), port });
  }
  return { networks, names };
}

const wholeAddress = (address: Address): readonly [Address, number] => [
  address,
  address.kind() === 'ipv4' ? 32 : 128,
];

/**
 * Whether an address may be connected to. Everything that is not plain public unicast is refused: private, loopback,
 * link-local, carrier-grade NAT, multicast, reserved, and IPv6 that carries an IPv4 address (mapped, NAT64, 6to4, Teredo),
 * because what it reaches is decided elsewhere.
 * @param host the name that was asked for; null for a literal address
 * @param port of the connection; public addresses are open on every one
 */
export function isAllowedAddress(
  allowance: OutboundAllowance,
  text: string,
  host: string | null,
  port: number,
): boolean {
  // The library also reads short forms such as 10.1.
  if (isIP(text) === 0 || !ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  const isMetadata = METADATA.some((network) => isIn(address, network));
  const range = isMetadata ? 'metadata' : address.range();
  if (range === 'unicast' && isPublic(address)) return true;
  const isOpen = (entry: OnPort): boolean => entry.port === null || entry.port === port;
  if (
    host !== null &&
    OPENED_BY_NAME.has(range) &&
    allowance.names.some((entry) => isOpen(entry) && coversName(entry.name, host))
  )
    return true;
  return allowance.networks.some((entry) => isOpen(entry) && isIn(address, entry.network));
}

/**
 * Services of clouds that give out credentials, outside link-local: Azure's among public addresses, Alibaba's among those of
 * carriers, those of AWS, Google and Oracle among the unique local ones.
 */
const METADATA = [
  '168.63.129.16/32',
  '100.100.100.200/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
].map((text) => ipaddr.parseCIDR(text));
/** All of IPv6 that is given out (RFC 4291, IANA); the library calls more unicast, `::a.b.c.d` too. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

const isPublic = (address: Address): boolean =>
  address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(...GLOBAL_IPV6);

const isIn = (address: Address, [network, bits]: readonly [Address, number]): boolean =>
  network.kind() === address.kind() && matches(address, network, bits);

const matches = (address: Address, network: Address, bits: number): boolean =>
  address.kind() === 'ipv4'
    ? (address as ipaddr.IPv4).match(network as ipaddr.IPv4, bits)
    : (address as ipaddr.IPv6).match(network as ipaddr.IPv6, bits);

function coversName(entry: string, host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === entry;
}
