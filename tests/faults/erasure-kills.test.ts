import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DELETION_STEPS } from '../../models/tenants/deletion-steps.types.js';
import { ErasureGround } from './support/erasure-ground.js';
import { killsOf, reportFile } from './support/kills.js';
import { MortalPlatform } from './support/mortal-platform.js';

const KILLS = killsOf(200);
const REPORT = reportFile('erasure-faults');
const AT_ONCE = 3;
const TENANTS = '/settings/tenants';

jest.setTimeout(180_000 + KILLS * 15_000);

/** API and worker die by kill -9 at random moments while tenants are erased; whoever asks asks again. */
describe('the deletion of tenants while processes are killed', () => {
  let platform: MortalPlatform;
  let ground: ErasureGround;
  let isEnded = false;
  /** Deletions under way. */
  let erasing = 0;

  beforeAll(async () => {
    platform = await MortalPlatform.start({ SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8' });
    ground = await ErasureGround.open(platform);
  });
  afterAll(async () => {
    isEnded = true;
    await platform?.close();
    await ground?.close();
  });

  it('leaves no residue, repeats no step and counts everything once', async () => {
    const kept = await ground.plant('kept', false);
    const before = await ground.fingerprint(kept);
    expect(before).toMatchObject({
      tenant: 1,
      histories: 6,
      mailsWaiting: 1,
      mailFiles: 1,
      workloads: 'w-kept',
      process: kept.pid,
    });
    const seen = {
      kills: { api: 0, worker: 0 },
      deletions: 0,
      runs: 0,
      begunAgain: {} as Record<string, number>,
    };
    const isOver = () => seen.kills.api + seen.kills.worker >= KILLS;
    const startedAt = Date.now();
    const killer = (async () => {
      while (!isOver()) {
        const number = seen.kills.api + seen.kills.worker;
        // Every second kill waits for one of the steps in turn: the first step is the longest and would get nearly all of them.
        if (number % 2 === 1)
          await someStep(DELETION_STEPS[((number - 1) / 2) % DELETION_STEPS.length] as string);
        else await sleep(800 + Math.random() * 4500);
        // While all lanes plant, a kill would strike no deletion.
        while (erasing === 0 && !isEnded) await sleep(100);
        if (isEnded) return;
        const victim = number % 2 === 0 && Math.random() < 0.5 ? 'api' : 'worker';
        // Its next death comes after it has answered, or a busy machine would never have an API.
        await platform.replace(victim);
        seen.kills[victim] += 1;
      }
    })();
    let number = 0;
    const lane = async () => {
      do {
        number += 1;
        const runs = await eraseOne(`gone-${number}`);
        for (const { key, runs: times } of runs) {
          seen.runs += times;
          if (times > 1) seen.begunAgain[key] = (seen.begunAgain[key] ?? 0) + times - 1;
        }
        seen.deletions += 1;
      } while (!isOver());
    };
    await Promise.all([killer, ...Array.from({ length: AT_ONCE }, lane)]);
    expect(await ground.fingerprint(kept)).toEqual(before);
    expect(ground.reading).toBe(0);
    // Kills that strike no step prove nothing.
    expect(seen.runs).toBeGreaterThan(seen.deletions * DELETION_STEPS.length);
    const report = { ...seen, seconds: Math.round((Date.now() - startedAt) / 1000) };
    if (REPORT !== null) writeFileSync(REPORT, `${JSON.stringify(report)}\n`);
  });

  /** Until a deletion is at this step; at most half a minute. */
  async function someStep(key: string): Promise<void> {
    for (
      const end = Date.now() + 30_000;
      Date.now() < end && !isEnded && !(await ground.isAt(key));
      await sleep(5)
    );
  }

  /** @returns its steps with how often each was begun */
  async function eraseOne(code: string): Promise<Array<{ key: string; runs: number }>> {
    const tenant = await ground.plant(code, true);
    const { counts } = (await platform.ask('GET', `${TENANTS}/${tenant.id}/deletion-preview`)).body;
    expect(counts).toMatchObject({ objects: 64, images: 0, workloads: 1, mails: 2, workflow_histories: 7 });
    const asked = await platform.ask('POST', `${TENANTS}/${tenant.id}/deletion`, { confirm_code: code });
    const id = asked.status === 409 ? asked.body.detail.deletion_id : asked.body.id;
    erasing += 1;
    const done = await platform.until(
      `${TENANTS}/deletions/${id}`,
      ({ status }) => status === 'done' || status === 'failed',
      900_000,
    );
    erasing -= 1;
    const reads = ground.manifestsAskedBy(code);
    expect([done.status, done.status_message]).toEqual(['done', '']);
    expect(done.counts).toEqual(counts);
    expect(done.certificate.removed).toEqual(counts);
    expect(await runningWorkflowsOf(id)).toBe(7);
    const finished = (done.log as Array<{ step: string | null; message: string }>)
      .filter((line) => line.step !== null && line.message.startsWith('Done.'))
      .map((line) => line.step);
    expect(finished).toEqual(done.steps.map((step: { key: string }) => step.key));
    expect(await ground.fingerprint(tenant)).toEqual({});
    expect(ground.manifestsAskedBy(code)).toBe(reads);
    return done.steps;
  }

  /** As the first step counted them. */
  async function runningWorkflowsOf(deletionId: string): Promise<number> {
    const [step] = await platform.query<{ n: number }>(
      "select (counts->>'running_workflows')::int as n from tenant_deletion_step where deletion_id = $1 and key = 'stop'",
      [deletionId],
    );
    return step?.n ?? 0;
  }
});
