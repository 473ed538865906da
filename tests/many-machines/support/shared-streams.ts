import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openSse, type SseReader } from '../../api/support/sse-reader.js';
import { type ClientAnswer, PlatformClient } from '../../setup/platform-client.js';
import { ADMIN } from '../../setup/supervised-platform.js';
import type { Fleet } from './fleet.js';
import { loggedAt } from './logged-at.js';
import { longTraining } from './long-training.js';

const EXPERIMENTS = '/api/v1/training/experiments';
const VIEWER = { email: 'viewer@example.com', password: 'a long enough 1 phrase' };
const ROUNDS = 5;
/** What is promised of every stream. Streams are asked every 60 s: what ends sooner has been notified. */
const NOTIFIED_MS = 1000;

interface Stage {
  readonly fleet: Fleet;
  /** An administrator, in a tenant that has a frozen dataset. */
  readonly client: PlatformClient;
  readonly dataset: string;
}

/** Tests of event streams on one API about what happens on the other. @param limits of a person and a tenant */
export function sharedStreams(
  stage: () => Stage,
  limits: { readonly user: number; readonly tenant: number },
): void {
  let training: string;
  let viewerId: string;
  let viewer: PlatformClient;
  const readers: SseReader[] = [];
  const admin = (machine: 'a' | 'b') =>
    new PlatformClient(stage().fleet.apis[machine], stage().client.token, stage().client.tenant);
  const role = (method: 'PATCH' | 'DELETE') => {
    const path = `/api/v1/system/users/${viewerId}/role`;
    const tenant = stage().client.tenant as string;
    return method === 'PATCH'
      ? admin('a').expect(200, method, path, { json: { tenant_code: tenant, role: 'VIEWER' } })
      : admin('a').expect(200, method, `${path}?tenant=${tenant}`);
  };
  const signIn = (machine: 'a' | 'b', { email, password }: typeof VIEWER) =>
    PlatformClient.signIn(stage().fleet.apis[machine], email, password, stage().client.tenant);
  const open = async (machine: 'a' | 'b', { token, tenant }: PlatformClient) => {
    const url = `${stage().fleet.apis[machine]}${EXPERIMENTS}/${training}/logs`;
    const headers = { authorization: `Bearer ${token}`, 'x-tenant': tenant as string };
    const reader = await openSse(url, headers);
    readers.push(reader);
    if (reader.status === 200) expect((await reader.next()).event).toBe('connected');
    return reader;
  };
  const closeAll = () => {
    for (const reader of readers.splice(0)) reader.close();
  };

  beforeAll(async () => {
    const { client, dataset } = stage();
    training = await longTraining(client, dataset, { epochs: 2000, hidden: 1024, layers: 2 });
    const made = await client.expect(200, 'POST', '/api/v1/system/users/create', {
      json: { ...VIEWER, tenant_code: client.tenant, role: 'VIEWER' },
    });
    viewerId = made.body.id as string;
    viewer = await signIn('b', VIEWER);
  }, 120_000);
  afterAll(closeAll);

  /**
   * The milliseconds that a stream lives on after the answer of a change that ends it, for each round: by what the APIs log of
   * both, which have one clock here. How soon this process sees it says nothing of them.
   */
  const untilEnds = async (
    round: () => Promise<{ reader: SseReader; change: () => Promise<ClientAnswer> }>,
  ) => {
    const lasted: number[] = [];
    const { fleet } = stage();
    for (let number = 0; number < ROUNDS; number += 1) {
      const { reader, change } = await round();
      let isAsked = false;
      const ended = untilEnded(reader).then(() => isAsked);
      // A stream that ends without the change ends within this time.
      await sleep(200);
      isAsked = true;
      const answer = await change();
      expect(await ended).toBe(true);
      const [answeredAt, endedAt] = await Promise.all([
        loggedAt(fleet.logOf('api a'), answer),
        loggedAt(fleet.logOf('api b'), reader),
      ]);
      lasted.push(endedAt - answeredAt);
    }
    process.stderr.write(`  streams ended ${lasted.join(', ')} ms after the answer\n`);
    return lasted;
  };
  const expectNotified = (lasted: readonly number[]) => {
    expect(lasted.filter((ms) => !(ms < NOTIFIED_MS))).toEqual([]);
    expect(lasted).toHaveLength(ROUNDS);
  };

  it('end on one API with a session that is signed out on the other', async () => {
    expectNotified(
      await untilEnds(async () => {
        const { token } = await signIn('b', ADMIN);
        const onA = new PlatformClient(stage().fleet.apis.a, token);
        const reader = await open('b', new PlatformClient('', token, stage().client.tenant));
        return { reader, change: () => onA.expect(200, 'POST', '/auth/jwt/logout') };
      }),
    );
  });

  it('end on one API with a role that is taken away on the other', async () => {
    expectNotified(
      await untilEnds(async () => {
        await role('PATCH');
        for (let left = 100; left > 0; left -= 1, await sleep(50))
          if ((await viewer.call('GET', EXPERIMENTS)).status === 200) break;
        return { reader: await open('b', viewer), change: () => role('DELETE') };
      }),
    );
    await role('PATCH');
  });

  it('are no more than the tenant may hold, counted over both', async () => {
    const onBoth = async (who: PlatformClient, count: number) => {
      const statuses: number[] = [];
      for (let number = 0; number < count; number += 1)
        statuses.push((await open(number % 2 === 0 ? 'a' : 'b', who)).status);
      return statuses;
    };
    const [byAdmin, byViewer] = [limits.user, limits.tenant - limits.user];
    expect(byViewer).toBeLessThan(limits.user);
    // The places of the streams that ended above become free a moment later.
    for (let left = 100; left > 0; left -= 1, await sleep(50), closeAll())
      if ((await onBoth(stage().client, byAdmin)).every((status) => status === 200)) break;
    expect(await onBoth(viewer, byViewer)).toEqual(Array(byViewer).fill(200));
    expect([(await open('a', viewer)).status, (await open('b', viewer)).status]).toEqual([429, 429]);
    closeAll();
  });

  it('report on one API what is done on the other', async () => {
    let reader = await open('b', viewer);
    for (let left = 100; left > 0 && reader.status === 429; left -= 1, await sleep(50))
      reader = await open('b', viewer);
    const received = (async () => {
      for (;;) {
        const { event, data } = await reader.next(60_000);
        if (event === 'experiment' && data.status === 'CANCELED') return data;
      }
    })();
    await admin('a').expect(202, 'POST', `${EXPERIMENTS}/${training}/cancel`);
    expect(await received).toMatchObject({ id: training });
    await expect(reader.next()).rejects.toThrow('ended');
  });
}

async function untilEnded(reader: SseReader): Promise<void> {
  const giveUpAt = performance.now() + 30_000;
  while (performance.now() < giveUpAt)
    try {
      await reader.next(giveUpAt - performance.now());
    } catch (error) {
      if ((error as Error).message === 'ended') return;
    }
  throw new Error('the stream did not end');
}
