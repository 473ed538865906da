import { describe, expect, it } from '@jest/globals';
import { networkOf, placeOf } from '../../../api/http/routing/caller-network.js';

describe('the network of an address', () => {
  it.each([
    ['192.0.2.77', '192.0.2.0/24', '192.0.2.77'],
    ['::ffff:192.0.2.77', '192.0.2.0/24', '192.0.2.77'],
    ['::ffff:c000:24d', '192.0.2.0/24', '192.0.2.77'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64', '2001:db8:1:3::/64'],
    ['::1', '::/64', '::/64'],
    ['unknown', 'unknown', 'unknown'],
  ])('%s is in %s, and %s stands for its subscriber', (address, network, place) => {
    expect([networkOf(address), placeOf(address)]).toEqual([network, place]);
  });
});
