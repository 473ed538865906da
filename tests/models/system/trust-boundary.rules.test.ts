import { describe, expect, it } from '@jest/globals';
import { openTemporal } from '../../../models/system/trust-boundary.rules.js';

const HERE = '127.0.0.1:7233';
const ELSEWHERE = '10.0.0.1:7233';
const shared = { orchestrator: 'process', signsIn: false, ports: null };

describe('a Temporal without a sign-in', () => {
  it.each([
    [HERE, 'every program on this machine, workloads of tenants included'],
    [ELSEWHERE, 'every program that reaches it, workloads of tenants included'],
  ])('is open to workloads at %s where the kernel closes no ports', (temporalAddress, who) => {
    const open = openTemporal({ ...shared, temporalAddress });
    expect(open?.message).toContain(`Temporal at ${temporalAddress} has no sign-in: ${who}`);
    expect(open?.remedy).toContain('SERVICE_TEMPORAL_TLS_CERT');
  });

  it.each([HERE, ELSEWHERE])('is judged by its port at %s', (temporalAddress) => {
    expect(openTemporal({ ...shared, temporalAddress, ports: [8080, 9000] })).toBeNull();
    expect(openTemporal({ ...shared, temporalAddress, ports: [7233, 9000] })).not.toBeNull();
  });

  it('may be closed by a firewall, which nobody sees, where it is on another machine', () => {
    const remedy = (temporalAddress: string) => openTemporal({ ...shared, temporalAddress })?.remedy;
    expect(remedy(ELSEWHERE)).toContain('does not see a firewall');
    expect(remedy(HERE)).not.toContain('firewall');
  });

  it('is closed to workloads that have a network of their own, and to everybody where it asks who calls', () => {
    expect(openTemporal({ ...shared, temporalAddress: HERE, orchestrator: 'kubernetes' })).toBeNull();
    expect(openTemporal({ ...shared, temporalAddress: HERE, signsIn: true })).toBeNull();
  });
});
