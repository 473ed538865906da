import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asTenantId } from '../../core/security/ids.js';
import { messages } from '../../models/notifications/messages.rules.js';
import { notify } from '../../models/notifications/notify.commands.js';
import { type MailServer, startMailServer } from '../api/notifications/support/mail-server.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../api/support/test-api.js';
import { killsOf } from './support/kills.js';

const ENTRY = fileURLToPath(new URL('../../activities/worker.js', import.meta.url));
const KILLS = killsOf(8);
const PEOPLE = 6;
const IN_EACH_ROUND = 25;

describe('notifications of a worker that is killed again and again', () => {
  let api: TestApi;
  let server: MailServer;
  let tenant: TestTenant;
  let people: TestUser[];
  let worker: ChildProcess;

  beforeAll(async () => {
    server = await startMailServer();
    api = await startTestApi({ SMTP_URL: server.url });
    tenant = await api.addTenant();
    people = await Promise.all(
      Array.from({ length: PEOPLE }, () => api.addUser({ [tenant.code]: 'OPERATOR' })),
    );
  });
  afterAll(async () => {
    await kill();
    await api.close();
    await server.close();
  });

  const inPlatform = (sql: string) => api.container.db.inPlatform((tx) => tx.query(sql));
  const start = () => {
    worker = spawn(process.execPath, [ENTRY], {
      env: { ...process.env, ...api.env, SERVICE_LOG_LEVEL: 'error' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  const kill = async () => {
    const over = once(worker, 'exit');
    worker.kill('SIGKILL');
    await over;
  };
  const reported = new Set<string>();
  const tellSome = async () => {
    for (let nr = 0; nr < IN_EACH_ROUND; nr += 1) {
      const name = `model-${randomUUID()}`;
      await api.container.db.inTenant(asTenantId(tenant.id), (tx) =>
        notify(
          tx,
          tenant.id,
          messages.deploymentFailed(
            { id: randomUUID(), modelName: name, version: 1 },
            'No space left.',
            null,
          ),
        ),
      );
      reported.add(name);
    }
  };
  /** Nobody waits half a minute for what else happens. */
  const hurry = () =>
    inPlatform("update notification_mail set due_at = now() - interval '1 second' where due_at > now()");
  /** A sender that died keeps its mails to itself for two minutes. */
  const freeMails = () => inPlatform("update dispatch set next_attempt_at = now() where kind = 'mail'");
  const hasTold = async () => (await inPlatform('select 1 from notification_request limit 1')).length === 0;
  const nothingLeft = async () => {
    const [left] = await inPlatform(
      `select (select count(*) from notification_request) + (select count(*) from notification_mail where due_at is not null) + (select count(*) from dispatch where kind = 'mail') as count`,
    );
    return left?.count === 0;
  };

  it('reach everybody once, in the feed and by mail', async () => {
    for (let round = 0; round < KILLS; round += 1) {
      start();
      await tellSome();
      const before = server.mails.length;
      const [isAtWork, pauseMs] =
        round % 2 === 0 ? [hasTold, 15 * round] : [async () => server.mails.length > before, 5 * round];
      for (let left = 600; left > 0 && !(await isAtWork()); left -= 1) {
        if (round % 2 === 1) await hurry();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      if (round % 2 === 0) await tellSome();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await kill();
      await freeMails();
    }
    start();
    for (let left = 300; left > 0 && !(await nothingLeft()); left -= 1) {
      if (left % 10 === 0) await hurry();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await nothingLeft()).toBe(true);
    expect(reported.size).toBe(1.5 * KILLS * IN_EACH_ROUND);
    // What is named twice was handed over twice; what is named nowhere was given up, in the open.
    expect(new Set(server.mails.map((mail) => mail.messageId)).size).toBe(server.mails.length);
    const dropped = await inPlatform(
      "select detail ->> 'reason' as reason from audit_entry where action = 'mail.drop'",
    );
    let lacking = 0;
    for (const person of people) {
      const rows = await api.container.db.inPlatform((tx) =>
        tx.query<{ title: string; count: number }>(
          'select title, count from notification where user_id = $1',
          [person.id],
        ),
      );
      expect(rows.map((row) => row.title.split(' ')[2]).sort()).toEqual([...reported].sort());
      expect(rows.every((row) => row.count === 1)).toBe(true);
      const texts = server.mails.filter((mail) => mail.to === person.email).map((mail) => mail.text);
      const named = texts.flatMap((text) =>
        [...text.matchAll(/^Deployment of (model-\S+) version/gm)].map(([, name]) => name as string),
      );
      const uncounted = texts.reduce(
        (sum, text) => sum + Number(/^And (\d+) more\.$/m.exec(text)?.[1] ?? 0),
        0,
      );
      expect(new Set(named).size).toBe(named.length);
      if (named.length + uncounted < reported.size) lacking += 1;
    }
    expect(lacking).toBeLessThanOrEqual(dropped.length);
    expect(
      dropped.every(({ reason }) =>
        String(reason).startsWith('A worker ended while the mail was handed over'),
      ),
    ).toBe(true);
  }, 240_000);
});
