import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseArguments, UsageError } from '../../cli/arguments.js';
import { Backoff, pauseS } from '../../cli/simulate/backoff.js';
import { DeviceClient } from '../../cli/simulate/device-client.js';
import { Connections } from '../../cli/simulate/exchange.js';
import { Figures } from '../../cli/simulate/figures.js';
import { Fleet } from '../../cli/simulate/fleet.js';
import { FleetRegistry } from '../../cli/simulate/fleet-registry.js';
import { Random } from '../../cli/simulate/random.js';
import { simulationOptions } from '../../cli/simulate/simulation-options.js';
import { NO_LEDGER, type SimulationLedger } from '../../cli/simulate/simulation.types.js';
import { UploadSender } from '../../cli/simulate/upload-sender.js';
import { EdgeStandIn, type StandInAnswer } from '../fakes/edge-stand-in.js';

const options = (...words: string[]) =>
  simulationOptions(parseArguments(['simulate-devices', ...words], '/clone'), 'http://a');

describe('the options of a simulation', () => {
  it('name ways to misbehave, parted by commas', () => {
    expect([...options('--misbehave', 'cut,skew').misbehave]).toEqual(['cut', 'skew']);
    expect(options()).toMatchObject({ count: 50, tenant: 'demo', durationS: null, prefix: 'simulated' });
  });

  it.each([
    [['--misbehave', 'lie'], /resend, cut, skew, flap/],
    [['--count', '9000'], /from 1 to 5000/],
    [['--fail-deploys', '2'], /from 0 to 1/],
    [['--prefix', '-x'], /beginning with a letter/],
  ])('refuse %j', (words, message) => {
    expect(() => options(...words)).toThrow(UsageError);
    expect(() => options(...words)).toThrow(message);
  });
});

describe('the pause before the next try', () => {
  it('grows, has a longest, and is no shorter than what the platform asked for', () => {
    expect([0, 1, 2, 20].map((failures) => pauseS(failures, null, 60, 1))).toEqual([1, 2, 4, 60]);
    expect(pauseS(0, null, 60, 0)).toBe(0.5);
    expect(pauseS(0, 30, 60, 0)).toBe(30);
  });
});

describe('simulated devices', () => {
  let platform: EdgeStandIn;
  beforeEach(async () => {
    platform = await EdgeStandIn.listen();
  });
  afterEach(() => platform.close());

  /** Until it holds, or for half a second. */
  const run = async (
    words: readonly string[],
    isOver: (figures: Figures) => boolean,
    ledger: Partial<SimulationLedger> = {},
    longestPauseS = 0.05,
  ): Promise<Figures> => {
    const stop = new AbortController();
    const access = <T>(work: (token: string) => Promise<T>) => work('person');
    const wanted = {
      ...options('--count', '2', '--seed', '7', ...words),
      ...{ url: platform.url, longestPauseS },
    };
    const registry = new FleetRegistry(platform.url, 'demo', access, stop.signal);
    const fleet = await Fleet.register(wanted, registry, { ...NO_LEDGER, ...ledger });
    const timer = setInterval(() => isOver(fleet.figures) && stop.abort(), 5);
    const late = setTimeout(() => stop.abort(), 20_000);
    await fleet.run(stop.signal);
    clearInterval(timer);
    clearTimeout(late);
    await platform.untilLeft();
    return fleet.figures;
  };
  const command = (id: string, changes: object = {}) => ({
    ...{ id, type: 'count', args: {}, expires_at: null },
    lease_until: new Date(Date.now() + 60_000).toISOString(),
    ...changes,
  });
  const once = (path: RegExp, answer: StandInAnswer) => {
    let left = 1;
    platform.instead = (request) => (path.test(request.path) && left-- > 0 ? answer : null);
  };

  it('register and send heartbeats and both kinds of records', async () => {
    const figures = await run([], ({ heartbeats, records }) =>
      [heartbeats, records.telemetry, records.inference].every((count) => count > 3),
    );
    expect(figures).toMatchObject({ breachCount: 0, refused: 0, active: 0 });
    expect(platform.count('POST', /edge\/register$/)).toBe(2);
    expect(figures.percentile(0.99)).toBeGreaterThan(0);
  });

  describe('follow a policy', () => {
    const reads = () => platform.count('GET', /edge\/config/);
    const reported = () =>
      platform.requests
        .filter(({ path }) => path.endsWith('/heartbeat'))
        .map(({ body }) => (JSON.parse(body.toString()) as { policy_revision: number }).policy_revision);

    it('that a heartbeat states anew, read once, and report its revision', async () => {
      let since = 0;
      const figures = await run(['--count', '1'], ({ heartbeats }) => {
        if (heartbeats === 2 && platform.policy.revision === 1)
          platform.policy = { ...platform.policy, revision: 2, sync: { interval_s: 0.1, batch_size: 1 } };
        if (since === 0 && reported().includes(2)) since = heartbeats;
        return since > 0 && heartbeats > since + 3;
      });
      expect(reads()).toBe(1);
      expect([...new Set(reported())]).toEqual([1, 2]);
      expect(reported().at(-1)).toBe(2);
      const sent = platform.requests.filter(({ path }) => path.endsWith('/telemetry')).at(-1);
      expect((JSON.parse(sent?.body.toString() ?? '') as { records: unknown[] }).records).toHaveLength(1);
      expect(figures.breaches).toEqual([]);
    });

    it('no further where a revision is stated that they cannot get', async () => {
      platform.statedRevision = 7;
      await run(['--count', '1'], ({ heartbeats }) => heartbeats > 4);
      expect(reads()).toBe(1);
      expect(new Set(reported())).toEqual(new Set([1]));
    });
  });

  it('send a batch again with the same key when its connection was cut, or to see that it changes nothing', async () => {
    const figures = await run(['--misbehave', 'resend,cut'], ({ retries }) => retries > 3);
    expect(Math.max(...platform.batches.values())).toBeGreaterThan(1);
    expect(figures.breaches).toEqual([]);
  });

  it('number each record once, whatever is cut', async () => {
    const seen = new Map<string, number>();
    await run(['--misbehave', 'cut,flap'], ({ records }) => records.telemetry > 200, {
      acknowledged: ({ device, kind, first, count }) => {
        expect(first).toBe(seen.get(`${device} ${kind}`) ?? 0);
        seen.set(`${device} ${kind}`, first + count);
      },
    });
    expect(seen.size).toBeGreaterThan(1);
  });

  it('come back when the platform says so, and take a 503 without a time for a breach', async () => {
    const busy = { status: 503, json: { code: 'service_unavailable' } };
    once(/heartbeat$/, { ...busy, headers: { 'retry-after': '0' } });
    expect(await run([], ({ heartbeats }) => heartbeats > 1)).toMatchObject({ breachCount: 0 });
    once(/heartbeat$/, busy);
    const { breaches } = await run([], ({ heartbeats }) => heartbeats > 1);
    expect(breaches).toEqual([expect.stringContaining('without Retry-After')]);
  });

  it('take an error of the platform and a changed receipt for breaches', async () => {
    once(/telemetry$/, { status: 500, json: { code: 'internal_error' } });
    expect(await run([], ({ records }) => records.telemetry > 0)).toMatchObject({ breachCount: 1 });
    once(/telemetry$/, { status: 200, json: { accepted: 1_000_000, received_at: 'x' } });
    const { breaches } = await run([], ({ records }) => records.telemetry > 0);
    expect(breaches).toEqual([expect.stringContaining('1000000 records')]);
  });

  it('end when their token is no longer taken', async () => {
    platform.instead = ({ path }) => (path.endsWith('/heartbeat') ? { status: 401 } : null);
    expect(await run([], ({ refused }) => refused === 2)).toMatchObject({ refused: 2, breachCount: 0 });
  });

  it('carry a command out once, though it is delivered and acknowledged again', async () => {
    platform.commands = [command('c-1')];
    once(/:ack$/, { status: 503, headers: { 'retry-after': '0' } });
    const effects: string[] = [];
    await run(['--misbehave', 'resend'], ({ commands }) => commands > 0 && platform.acks.length > 0, {
      effect: (_device, id) => effects.push(id),
    });
    expect(effects).toEqual(['c-1']);
    expect(platform.acks[0]).toEqual({ id: 'c-1', status: 'succeeded', result: { message: 'done' } });
  });

  it('notice a command that comes too late or twice', async () => {
    const effects: string[] = [];
    const passed = new Date(Date.now() - 1000).toISOString();
    platform.commands = [command('late', { expires_at: passed }), command('twice'), command('twice')];
    const { breaches } = await run([], () => platform.acks.length > 1, {
      effect: (_device, id) => effects.push(id),
    });
    expect(breaches).toEqual([
      expect.stringContaining('late was delivered after it had expired'),
      expect.stringContaining('twice was delivered though its end was acknowledged'),
    ]);
    expect(effects).toEqual(['twice', 'twice']);
    // The device says nothing of what has expired: the platform asks again by itself.
    expect(platform.acks.map(({ id }) => id)).toEqual(['twice', 'twice']);
  });

  it('upload a picture again whose session failed', async () => {
    const [figures, random, connections] = [new Figures(), new Random(7), new Connections(platform.url)];
    const client = new DeviceClient('d-1', 'token', connections, figures);
    const uploaded: string[] = [];
    const ledger = { ...NO_LEDGER, uploaded: (_device: string, id: string) => uploaded.push(id) };
    const sender = new UploadSender(
      { device: 'd-1', client, figures, ledger, random },
      new Backoff(random, 0.05),
    );
    let completed = 0;
    platform.instead = ({ method, path }) => {
      if (path.endsWith(':complete') && completed++ === 0)
        return { status: 503, headers: { 'retry-after': '0' } };
      return method === 'GET' ? { status: 200, json: { upload_id: 'u-1', state: 'failed' } } : null;
    };
    await sender.send(new AbortController().signal);
    connections.close();
    expect([platform.count('POST', /\/uploads$/), completed, uploaded]).toEqual([2, 2, ['u-1']]);
    expect(figures).toMatchObject({ uploads: 1, breachCount: 0 });
  });

  it('install a model step by step, and say which step fails', async () => {
    const deploy = (id: string) =>
      command(id, { type: 'deploy', args: { deployment_id: 'd', model_name: 'digits', version: 3 } });
    platform.commands = [deploy('d-1')];
    const figures = await run([], () => platform.acks.some(({ status }) => status === 'succeeded'));
    expect(platform.acks.map(({ result }) => (result as { step?: string }).step)).toEqual(
      expect.arrayContaining(['downloading', 'installing', 'verifying']),
    );
    expect(figures.downloads).toEqual({ count: 2, bytes: 2 * platform.model.length });
    expect(figures.breaches).toEqual([]);
    expect(platform.count('GET', /download\?path=labels%2Fnames\.json$/)).toBe(1);
    platform.instead = ({ path }) =>
      path.includes('names.json') ? { status: 200, bytes: Buffer.from('others') } : null;
    platform.commands = [deploy('d-3')];
    const { breaches } = await run([], () =>
      platform.acks.some(({ id, status }) => id === 'd-3' && status === 'succeeded'),
    );
    expect(breaches).toEqual([expect.stringContaining('labels/names.json of digits version 3 is not what')]);
    platform.instead = () => null;
    platform.commands = [deploy('d-2')];
    await run(['--fail-deploys', '1'], () => platform.acks.some(({ status }) => status === 'failed'));
    expect(platform.acks.find(({ status }) => status === 'failed')).toMatchObject({
      id: 'd-2',
      status: 'failed',
      result: { step: expect.any(String) },
    });
  });
});
