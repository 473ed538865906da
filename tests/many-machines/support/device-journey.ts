import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { openSse, type SseReader } from '../../api/support/sse-reader.js';
import { sha256 } from '../../builders/real-images.js';
import { PlatformClient } from '../../setup/platform-client.js';
import { ADMIN } from '../../setup/supervised-platform.js';
import { callOfDevice } from './device-calls.js';
import type { Fleet } from './fleet.js';
import { expectRefusedSoon } from './refused-soon.js';

const TENANT = 'post';
const MODEL = { model_name: 'postcodes', version: 1 };
const DEVICE = 'sorter';
/** How long the device asks to be held. */
const POLL_S = 30;
/** Long before the poll ends by itself: what comes sooner has called it. */
const CALLED_WITHIN_MS = 10_000;
const SIMULATED = { count: 20, seconds: 15 };

/** Tests of a device that calls one API while people use the other, once the main journey has its model. */
export function deviceJourney(fleet: () => Fleet): void {
  let admin: PlatformClient;
  let token: string;
  const personAt = (machine: 'a' | 'b') => new PlatformClient(fleet().apis[machine], admin.token, TENANT);
  const call = (method: string, path: string, json?: object) =>
    callOfDevice(fleet().apis.a, token, method, path, json);
  const poll = () => call('GET', `/commands?wait=${POLL_S}`);
  const acknowledge = async (id: string, status: string, result: object) => {
    const answer = await call('POST', `/commands/${id}:ack`, { status, result });
    expect(answer.status).toBe(200);
    return answer.body;
  };

  it('brings a command that is given at one API to a device that waits at the other', async () => {
    admin = await PlatformClient.signIn(fleet().apis.a, ADMIN.email, ADMIN.password, TENANT);
    const made = await personAt('a').expect(201, 'POST', '/api/v1/edge/devices', { json: { id: DEVICE } });
    token = made.body.token;
    expect((await call('POST', '/register', { os: 'linux', sdk_version: '1.0' })).status).toBe(200);
    const waiting = poll();
    await sleep(500);
    const path = `/api/v1/edge/devices/${DEVICE}/commands`;
    const { body: given } = await personAt('b').expect(201, 'POST', path, { json: { type: 'look' } });
    const givenAt = performance.now();
    const { body: fetched } = await waiting;
    expect(fetched.items).toEqual([expect.objectContaining({ id: given.id, type: 'look' })]);
    expect(performance.now() - givenAt).toBeLessThan(CALLED_WITHIN_MS);
    expect(await acknowledge(given.id, 'succeeded', { seen: 3 })).toMatchObject({ state: 'succeeded' });
    const { body: listed } = await personAt('b').expect(200, 'GET', path);
    expect(listed.items).toEqual([expect.objectContaining({ state: 'succeeded', result: { seen: 3 } })]);
  });

  it('deploys the model to it, which the other API shows step by step', async () => {
    const json = { ...MODEL, target_device_id: DEVICE };
    const { body: made } = await personAt('b').expect(201, 'POST', '/api/v1/deployments', { json });
    const stream = await openSse(`${fleet().apis.b}/api/v1/stream/deployments/${made.id}`, {
      authorization: `Bearer ${admin.token}`,
      'x-tenant': TENANT,
    });
    try {
      const [command] = (await poll()).body.items;
      expect(command).toMatchObject({ type: 'deploy', args: { deployment_id: made.id, ...MODEL } });
      const reach = async (step: string) => {
        await acknowledge(command.id, 'running', { step, progress: 0.5 });
        await seen(stream, { device_id: DEVICE, step });
      };
      await reach('downloading');
      await download();
      await reach('installing');
      await reach('verifying');
      await acknowledge(command.id, 'succeeded', { version: MODEL.version });
      await seen(stream, { status: 'SUCCEEDED' });
    } finally {
      stream.close();
    }
    const { body: done } = await personAt('b').expect(200, 'GET', `/api/v1/deployments/${made.id}`);
    expect(done).toMatchObject({ status: 'SUCCEEDED', progress: 1 });
  });

  /** Every file of the version, as the list says that it is. */
  const download = async () => {
    const { body } = await call('GET', `/models/${MODEL.model_name}/versions`);
    const { files } = body.items.find(({ version }: { version: number }) => version === MODEL.version);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const path = `/models/${MODEL.model_name}/${MODEL.version}/download?path=${encodeURIComponent(file.path)}`;
      expect(sha256((await call('GET', path)).bytes)).toBe(file.sha256);
    }
  };

  it('refuses the device at one API within a second once it is blocked at the other', async () => {
    const look = async () => (await call('GET', '/config')).status;
    expect([await look(), await look()]).toEqual([200, 200]);
    const waiting = poll();
    await sleep(500);
    const path = `/api/v1/edge/devices/${DEVICE}`;
    await personAt('b').expect(200, 'POST', `${path}/offline`, { json: { blocked: true } });
    await expectRefusedSoon(look, 503);
    expect((await waiting).status).toBe(503);
    // The model that it has is deleted later in the journey.
    await personAt('b').expect(200, 'DELETE', path);
    expect(await look()).toBe(401);
  });
}

/** Reads the stream until an event says all of this. */
async function seen(stream: SseReader, wanted: Readonly<Record<string, unknown>>): Promise<void> {
  for (;;) {
    const { data } = await stream.next(CALLED_WITHIN_MS);
    if (Object.entries(wanted).every(([name, value]) => data[name] === value)) return;
  }
}

/** A test of devices that an operator simulates, in the tenant of the journey. */
export function simulatedDevices(fleet: () => Fleet): void {
  it(`keeps its promises to ${SIMULATED.count} simulated devices, which both APIs serve`, async () => {
    const { token } = await PlatformClient.signIn(fleet().base, ADMIN.email, ADMIN.password);
    const before = (['a', 'b'] as const).map((machine) => fleet().passedTo(machine));
    const { folder } = fleet().guideOf('a').unit('worker', '');
    const { count, seconds } = SIMULATED;
    const script = `cd ${folder}
export VISIONOPS_TOKEN=${token}
npm start -- simulate-devices --url ${fleet().base} --tenant ${TENANT} --count ${count} --duration ${seconds} --interval 1`;
    const { code, output } = await fleet().shell('a', script);
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    for (const [index, machine] of (['a', 'b'] as const).entries())
      expect(fleet().passedTo(machine) - (before[index] as number)).toBeGreaterThan(count);
  });
}
