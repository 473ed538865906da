import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isAllowedAddress, parseAllowance } from '../../../adapters/http/address-guard.js';
import { nextRedirect } from '../../../adapters/http/redirects.js';
import { createRemoteSource } from '../../../adapters/http/http-remote-source.js';
import { isPassingFailure, sourceFailureOf } from '../../../core/ports/remote-source.js';

const NOTHING = parseAllowance('');

/** Addresses inside, beside and below networks, in every form that a resolver or a person may give. */
const REFUSED: readonly string[] = [
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.0.1',
    '169.254.169.254',
  ],
  ...[
    '169.254.170.2',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '192.168.255.255',
    '198.18.0.1',
    '198.19.255.255',
  ],
  ...[
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
  ],
  ...[
    '::',
    '::1',
    '::2',
    '::7f00:1',
    '::10.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:10.0.0.1',
    '0:0:0:0:0:ffff:a00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
  ],
  ...[
    '64:ff9b:1::a00:1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a00:1::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd00::1',
    'fd00:ec2::254',
  ],
  ...['fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', 'ff05::2', '4000::1', '8000::1', 'e000::1'],
  ...[
    '',
    'localhost',
    '127.0.0.1:80',
    '[::1]',
    'data.example.org',
    '1.2.3',
    '8.8.8.8.8',
    '256.1.1.1',
    ' ',
    'undefined',
  ],
];
const PUBLIC: readonly string[] = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001::1',
];

describe('the guard of outgoing calls', () => {
  it('knows more than sixty forms of addresses that may not be called', () => {
    expect(new Set(REFUSED).size).toBeGreaterThan(60);
  });

  it.each(REFUSED)('refuses %j', (address) => {
    expect(isAllowedAddress(NOTHING, address, null, 443)).toBe(false);
    expect(isAllowedAddress(NOTHING, address, 'data.example.org', 443)).toBe(false);
  });

  it.each(PUBLIC)('lets %s through', (address) => {
    expect(isAllowedAddress(NOTHING, address, 'data.example.org', 443)).toBe(true);
  });

  it('refuses every address of the private networks, and every form that carries one', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const networks = fc.oneof(
      fc.tuple(fc.constant(10), byte, byte, byte),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
      fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
      fc.tuple(fc.constant(127), byte, byte, byte),
      fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
    );
    fc.assert(
      fc.property(networks, fc.constantFrom('', '::ffff:', '64:ff9b::', '::'), (parts, before) => {
        expect(isAllowedAddress(NOTHING, before + parts.join('.'), null, 443)).toBe(false);
      }),
    );
  });

  it('opens networks and single addresses that the administrator names, and nothing beside them', () => {
    const allowance = parseAllowance('10.1.0.0/16 192.168.7.7, fd00:1::/32 ::ffff:0:0/96');
    for (const open of ['10.1.0.0', '10.1.255.255', '192.168.7.7', 'fd00:1::5', '::ffff:127.0.0.1'])
      expect(isAllowedAddress(allowance, open, null, 443)).toBe(true);
    for (const shut of ['10.0.255.255', '10.2.0.0', '192.168.7.8', 'fd00:2::5', '127.0.0.1', '::1'])
      expect(isAllowedAddress(allowance, shut, null, 443)).toBe(false);
  });

  it('opens a port alone where one is named', () => {
    const allowance = parseAllowance(
      '10.1.0.0/16:8443, 192.168.7.7:80 [fd00::7]:8080 [fd01::/16]:9000 data.intern:9443, 172.16.0.1',
    );
    const [name, other] = ['data.intern', 'other.intern'];
    for (const [address, host, port] of [
      ['10.1.2.3', null, 8443],
      ['192.168.7.7', null, 80],
      ['fd00::7', null, 8080],
      ['fd01::1', null, 9000],
      ['127.0.0.1', name, 9443],
      ['172.16.0.1', null, 5432],
      ['8.8.8.8', other, 25],
    ] as const) {
      expect([address, isAllowedAddress(allowance, address, host, port)]).toEqual([address, true]);
      if (address !== '172.16.0.1' && address !== '8.8.8.8')
        expect([address, isAllowedAddress(allowance, address, host, 5432)]).toEqual([address, false]);
    }
    expect(isAllowedAddress(allowance, '127.0.0.1', other, 9443)).toBe(false);
  });

  it('opens private addresses for names that the administrator names, never link-local ones', () => {
    const allowance = parseAllowance('data.intern, *.lab.example.org');
    for (const host of [
      'data.intern',
      'DATA.intern',
      'data.intern.',
      'a.lab.example.org',
      'a.b.lab.example.org',
    ])
      expect(isAllowedAddress(allowance, '10.0.0.9', host, 443)).toBe(true);
    for (const host of [
      'intern',
      'xdata.intern',
      'data.intern.evil.org',
      'lab.example.org',
      'xlab.example.org',
    ])
      expect(isAllowedAddress(allowance, '10.0.0.9', host, 443)).toBe(false);
    for (const address of [
      '169.254.169.254',
      'fe80::1',
      '224.0.0.1',
      '0.0.0.0',
      '::ffff:10.0.0.9',
      '240.0.0.1',
    ])
      expect(isAllowedAddress(allowance, address, 'data.intern', 443)).toBe(false);
    expect(isAllowedAddress(allowance, '10.0.0.9', null, 443)).toBe(false);
  });

  it.each([
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:0ec2:0::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
  ])('opens %s, where a cloud gives out credentials, for no name but for its network alone', (address) => {
    expect(isAllowedAddress(parseAllowance('data.intern'), address, 'data.intern', 80)).toBe(false);
    expect(isAllowedAddress(parseAllowance(address), address, 'data.intern', 80)).toBe(true);
  });
});

describe('a redirect', () => {
  const from = new URL('https://data.example.org/api/datasets?page=1');
  it.each([
    ['/other', 'https://data.example.org/other'],
    ['other', 'https://data.example.org/api/other'],
    ['?page=2', 'https://data.example.org/api/datasets?page=2'],
    ['//files.example.org/x', 'https://files.example.org/x'],
    ['https://files.example.org:8443/x', 'https://files.example.org:8443/x'],
  ])('to %s leads to %s', (location, target) => {
    expect(nextRedirect(from, location).href).toBe(target);
  });

  it.each([
    [undefined, 'redirect'],
    ['http://data.example.org/api', 'redirect'],
    ['HTTP://data.example.org', 'redirect'],
    ['file:///etc/passwd', 'address'],
    ['data:text/plain,x', 'address'],
    ['https://me:secret@data.example.org/', 'address'],
    ['//0x7f.1/', 'address'],
    ['\\\\127.1\\x', 'address'],
    ['/\\2130706433/', 'address'],
    ['https://', 'address'],
  ])('to %s leads nowhere: %s', (location, reason) => {
    expect(() => nextRedirect(from, location)).toThrow(
      expect.objectContaining({ detail: expect.objectContaining({ reason }) }),
    );
  });
});

describe('connections of the guarded client', () => {
  let server: Server;
  let calls = 0;
  beforeAll(async () => {
    server = createServer((_req, res) => {
      calls += 1;
      res.setHeader('content-type', 'application/json').end('{"items":[],"total":0}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

  const port = () => (server.address() as AddressInfo).port;
  const address = (text: string): LookupAddress => ({ address: text, family: text.includes(':') ? 6 : 4 });
  /** @param answers what the name resolves to, call by call; the last one stays */
  /** Whether each failed call may succeed later. */
  const passing: boolean[] = [];
  const ask = async (
    allow: string,
    answers: readonly string[][],
    times = 1,
  ): Promise<Array<string | undefined>> => {
    const asked: string[] = [];
    const remote = createRemoteSource({
      allow,
      limits: { connectMs: 800 },
      resolve: (host, callback) => {
        asked.push(host);
        callback(null, (answers[Math.min(asked.length, answers.length) - 1] ?? []).map(address));
      },
    });
    const reported: Array<string | undefined> = [];
    for (let left = times; left > 0; left -= 1) {
      const outcome = await remote
        .listDatasets(
          { tenantId: 't1', baseUrl: `http://rebind.example.org:${port()}`, token: 't' },
          { page: 1, pageSize: 1 },
        )
        .then(
          () => 'answered',
          (error: unknown) => {
            passing.push(isPassingFailure(error));
            return sourceFailureOf(error)?.reason;
          },
        );
      reported.push(outcome);
    }
    await remote.close();
    return reported;
  };

  it('are refused when a name leads inside, alone or beside a public address', async () => {
    const before = calls;
    expect(await ask('', [['127.0.0.1']])).toEqual(['name']);
    expect(await ask('', [['8.8.8.8', '127.0.0.1']])).toEqual(['name']);
    expect(await ask('', [['::1']])).toEqual(['name']);
    expect(await ask('', [['::ffff:127.0.0.1']])).toEqual(['name']);
    expect(calls).toBe(before);
  });

  it('are not waited for when a name leads inside, unlike a name that may come to be', async () => {
    passing.length = 0;
    await ask('', [['127.0.0.1']]);
    await ask('', [[]]);
    expect(passing).toEqual([false, true]);
  });

  it('are judged by the very look-up that is connected to: a name that changes its mind gets nowhere', async () => {
    const before = calls;
    // Public when a check before the call would look, private when the connection is made.
    expect(await ask('', [['192.0.2.1'], ['127.0.0.1']], 2)).toEqual(['name', 'name']);
    expect(calls).toBe(before);
    expect(await ask('127.0.0.1', [['127.0.0.1'], ['10.0.0.1']], 1)).toEqual(['answered']);
  });

  it('are made to a name that the administrator allows', async () => {
    expect(await ask('rebind.example.org', [['127.0.0.1']])).toEqual(['answered']);
    expect(await ask('*.example.org', [['127.0.0.1']])).toEqual(['answered']);
    expect(await ask('other.example.org', [['127.0.0.1']])).toEqual(['name']);
  });

  it('are made to a port that the administrator allows, by name, by number and at the end of a redirect, and to no other', async () => {
    for (const host of ['rebind.example.org', '*.example.org', '127.0.0.1', '127.0.0.0/8']) {
      expect(await ask(`${host}:${port()}`, [['127.0.0.1']])).toEqual(['answered']);
      const before = calls;
      expect(await ask(`${host}:${port() === 80 ? 81 : 80}`, [['127.0.0.1']])).toEqual(['name']);
      expect(calls).toBe(before);
    }
    const from = createServer(
      (_req, res) => void res.writeHead(302, { location: `http://127.0.0.1:${port()}/` }).end(),
    );
    await new Promise<void>((resolve) => from.listen(0, '127.0.0.1', resolve));
    const first = (from.address() as AddressInfo).port;
    const follow = async (allow: string) => {
      const remote = createRemoteSource({ allow });
      const reported = await remote
        .listDatasets(
          { tenantId: 't1', baseUrl: `http://127.0.0.1:${first}`, token: null },
          { page: 1, pageSize: 1 },
        )
        .then(
          () => 'answered',
          (error: unknown) => sourceFailureOf(error)?.reason,
        );
      await remote.close();
      return reported;
    };
    expect([
      await follow(`127.0.0.1:${first}`),
      await follow(`127.0.0.1:${first}, 127.0.0.1:${port()}`),
    ]).toEqual(['address', 'answered']);
    await new Promise<void>((resolve) => void from.close(() => resolve()));
  });

  it('fail in plain words when a name has no address', async () => {
    expect(await ask('', [[]])).toEqual(['name']);
  });

  it.each([
    '127.0.0.1',
    '[::1]',
    '[::ffff:7f00:1]',
    '10.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    '①②⑦.0.0.1',
  ])('are refused to the host %s', async (host) => {
    const remote = createRemoteSource({ allow: '' });
    const before = calls;
    const reported = await remote
      .listDatasets(
        { tenantId: 't1', baseUrl: `http://${host}:${port()}`, token: null },
        { page: 1, pageSize: 1 },
      )
      .catch((error: unknown) => sourceFailureOf(error)?.reason);
    expect(reported).toBe('address');
    expect(calls).toBe(before);
    await remote.close();
  });
});
