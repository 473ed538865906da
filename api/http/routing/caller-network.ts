import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const IPV4_BITS = 24;
const IPV6_BITS = 64;

/** The network that an address is in: its /24 (IPv4) or its /64 (IPv6). What is no address is its own network. */
export function networkOf(text: string): string {
  const address = parsed(text);
  if (address === null) return text;
  return address.kind() === 'ipv4' ? firstOf(address, IPV4_BITS) : firstOf(address, IPV6_BITS);
}

/**
 * What stands for one subscriber: an IPv4 address, or the /64 of an IPv6 address, in which a machine takes a new address
 * every day.
 */
export function placeOf(text: string): string {
  const address = parsed(text);
  if (address === null) return text;
  return address.kind() === 'ipv4' ? address.toString() : firstOf(address, IPV6_BITS);
}

/** An IPv4 address that is written as an IPv6 one (::ffff:192.0.2.1) is that IPv4 address. */
const parsed = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | null =>
  isIP(text) !== 0 && ipaddr.isValid(text) ? ipaddr.process(text) : null;

const firstOf = (address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string => {
  const Family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${Family.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`;
};
