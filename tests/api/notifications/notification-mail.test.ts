import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSmtpMailer } from '../../../adapters/smtp/smtp-mailer.js';
import { Dispatcher } from '../../../activities/dispatch/dispatcher.js';
import { createNotificationHousekeeping } from '../../../activities/notifications/notification-housekeeping.js';
import { createNotificationMails } from '../../../activities/notifications/notification-mails.js';
import { fanOut } from '../../../models/notifications/fan-out.platform.js';
import { writeDigests } from '../../../models/notifications/mail-digest.platform.js';
import { messages } from '../../../models/notifications/messages.rules.js';
import type { WorkflowEngine } from '../../../core/ports/workflow-engine.js';
import { systemClock } from '../../../core/ports/clock.js';
import { startTestApi, type TestApi, type TestTenant, type TestUser } from '../support/test-api.js';
import { type MailServer, startMailServer } from './support/mail-server.js';
import { feed, tell, until } from './support/notify-loop.js';

const alert = (rule = 'HighErrorRate') =>
  messages.alertFired({
    id: randomUUID(),
    rule,
    severity: 'critical',
    summary: 'The error rate is above 5 %.',
  });
const PACE = { settleS: 30, windowS: 900 };
const noEngine = {
  start: () => Promise.reject(new Error('no work in this lane')),
} as unknown as WorkflowEngine;

describe('notifications by e-mail', () => {
  let api: TestApi;
  let server: MailServer;
  let tenant: TestTenant;
  let operator: TestUser;
  /** The time of the test, which it moves on itself. */
  let now: Date;
  const loops: Array<() => Promise<void>> = [];

  beforeAll(async () => {
    api = await startTestApi();
    server = await startMailServer((address) => address.startsWith('bounces'));
  });
  beforeEach(async () => {
    now = new Date();
    tenant = await api.addTenant();
    operator = await api.addUser({ [tenant.code]: 'OPERATOR' });
  });
  afterEach(async () => {
    for (const stop of loops.splice(0)) await stop();
  });
  afterAll(async () => {
    await api.close();
    await server.close();
  });

  const later = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1000);
  };
  const db = () => api.container.db;
  const keys = () => api.container.settings.SERVICE_SECRET_KEYS;
  const reported = () => db().inPlatform((tx) => fanOut(tx, now, 500, PACE));
  const write = () =>
    db().inPlatform((tx) => writeDigests(tx, keys(), 'https://vision.example.com/', now, 50));
  /** One pass of the mail dispatcher for as long as it carries something out. */
  const send = async () => {
    const mailer = createSmtpMailer(server.url, 'VisionOps <no-reply@example.com>');
    const { logger, listener } = api.container;
    const dispatcher = new Dispatcher(
      {
        database: db(),
        listener,
        engine: noEngine,
        mailer,
        removeMails: async () => undefined,
        keys: keys(),
        logger,
      },
      'mail',
    );
    while ((await dispatcher.tick()) > 0);
    mailer.close();
  };
  const mailsTo = (user: TestUser) => server.mails.filter((mail) => mail.to === user.email);
  const prefer = (user: TestUser, prefs: unknown) =>
    api.call('PUT', '/api/v1/notifications/preferences', { token: user.token, json: { prefs } });

  it('come once the first minute is over, with what it is about and where', async () => {
    await tell(api, tenant, alert('Disk'));
    await reported();
    await write();
    await send();
    expect(mailsTo(operator)).toEqual([]);
    later(31);
    await write();
    await send();
    const [mail, ...more] = mailsTo(operator);
    expect(more).toEqual([]);
    expect(mail?.subject).toBe('[VisionOps] Alert Disk fired (critical)');
    expect(mail?.text).toContain(`Tenant Tenant ${tenant.code} (${tenant.code})`);
    expect(mail?.text).toMatch(
      new RegExp(`https://vision.example.com/api/v1/alerts/[0-9a-f-]{36}\\?tenant=${tenant.code}`),
    );
    expect(mail?.text).toContain('PUT https://vision.example.com/api/v1/notifications/preferences');
  });

  it('of a storm come as one mail for each window, however many passes and workers write them', async () => {
    for (let minute = 0; minute < 20; minute += 1) {
      for (let nr = 0; nr < 5; nr += 1) await tell(api, tenant, alert());
      await reported();
      await Promise.all([write(), write()]);
      await send();
      later(60);
    }
    expect(mailsTo(operator).map((mail) => mail.subject)).toEqual([
      '[VisionOps] Alerts fired: 10',
      '[VisionOps] 2 notifications',
    ]);
  });

  it('tell of each entry once: the next mail holds what is new alone, though nothing was read', async () => {
    const bodies: string[] = [];
    for (const rule of ['Disk', 'Memory', 'Network']) {
      await tell(api, tenant, alert(rule));
      await reported();
      later(901);
      await write();
      await send();
      bodies.push(mailsTo(operator).at(-1)?.text ?? '');
    }
    expect(mailsTo(operator).map((mail) => mail.subject)).toEqual(
      ['Disk', 'Memory', 'Network'].map((rule) => `[VisionOps] Alert ${rule} fired (critical)`),
    );
    expect(bodies.map((text) => ['Disk', 'Memory', 'Network'].filter((rule) => text.includes(rule)))).toEqual(
      [['Disk'], ['Memory'], ['Network']],
    );
    later(901);
    await write();
    await send();
    expect(mailsTo(operator)).toHaveLength(3);
  });

  it('gather what happened in several tenants and leave out what was read meanwhile', async () => {
    const second = await api.addTenant();
    const both = await api.addUser({ [tenant.code]: 'ADMIN', [second.code]: 'ADMIN' });
    await prefer(both, { datasets: { email: true } });
    for (const name of ['seen', 'unseen'])
      await tell(api, tenant, messages.datasetInvalid({ id: name, name, createdBy: null }));
    await tell(api, second, alert());
    await reported();
    const seen = (await feed(api, both, tenant)).find((entry) => entry.title.includes(' seen '));
    await api.call('POST', `/api/v1/notifications/${seen?.id}/read`, {
      token: both.token,
      tenant: tenant.code,
    });
    later(31);
    await write();
    await send();
    const [mail] = mailsTo(both);
    expect(mail?.subject).toBe('[VisionOps] 2 notifications');
    expect(mail?.text).toContain('Dataset unseen failed');
    expect(mail?.text).not.toContain('Dataset seen failed');
    expect(mail?.text).toContain(second.code);
  });

  it('come to nobody who does not want them, whose tenant has them off, who lost the role or whose account is disabled', async () => {
    const [unwilling, later2, left, disabled] = [
      await api.addUser({ [tenant.code]: 'OPERATOR' }),
      await api.addUser({ [tenant.code]: 'OPERATOR' }),
      await api.addUser({ [tenant.code]: 'OPERATOR' }),
      await api.addUser({ [tenant.code]: 'OPERATOR' }),
    ];
    const silent = await api.addTenant();
    const admin = { token: api.admin.token };
    await api.call('PATCH', `/api/v1/settings/tenants/${silent.id}`, {
      ...admin,
      json: { features: { notification_email: false } },
    });
    const inSilence = await api.addUser({ [silent.code]: 'OPERATOR' });
    await prefer(unwilling, { alerts: { email: false } });
    for (const where of [tenant, silent]) await tell(api, where, alert());
    await reported();
    expect(await feed(api, unwilling, tenant)).toHaveLength(1);
    expect(await feed(api, inSilence, silent)).toHaveLength(1);
    await prefer(later2, { alerts: { email: false } });
    await api.call('DELETE', `/api/v1/system/users/${left.id}/role?tenant=${tenant.code}`, admin);
    await api.call('POST', `/api/v1/system/users/${disabled.id}/disable`, admin);
    later(31);
    await write();
    await send();
    expect([unwilling, later2, left, disabled, inSilence].flatMap(mailsTo)).toEqual([]);
    expect(mailsTo(operator)).toHaveLength(1);
  });

  it('go out by mail alone where the feed is not wanted', async () => {
    await prefer(operator, { alerts: { in_app: false, email: true } });
    await tell(api, tenant, alert());
    expect((await reported()).hints.filter((each) => each.userId === operator.id)).toEqual([]);
    later(31);
    await write();
    await send();
    expect(await feed(api, operator, tenant)).toEqual([]);
    expect(mailsTo(operator)).toHaveLength(1);
  });

  it('are neither lost nor doubled by a crash before, while or after they are written', async () => {
    await tell(api, tenant, alert());
    await reported();
    later(31);
    const killed = db().inPlatform(async (tx) => {
      await writeDigests(tx, keys(), 'https://vision.example.com', now, 50);
      throw new Error('killed');
    });
    await expect(killed).rejects.toThrow('killed');
    await Promise.all([write(), write(), write()]);
    await write();
    await send();
    await send();
    expect(mailsTo(operator)).toHaveLength(1);
    expect(new Set(server.mails.map((mail) => mail.messageId)).size).toBe(server.mails.length);
  });

  it('that a server refuses for good are tried once and recorded in the audit trail', async () => {
    await db().inPlatform((tx) =>
      tx.execute("update user_account set email = 'bounces-' || email where id = $1", [operator.id]),
    );
    await tell(api, tenant, alert());
    await reported();
    later(31);
    await write();
    await send();
    await send();
    expect(server.refused).toEqual([`bounces-${operator.email}`]);
    const trail = await api.call('GET', '/api/v1/system/audit?action=mail.drop', { token: api.admin.token });
    expect(trail.body.items).toMatchObject([
      { outcome: 'failed', target: { kind: 'mail', label: 'notifications' } },
    ]);
  });

  it('are written by the loop of a worker by itself', async () => {
    const stopping = new AbortController();
    const running = createNotificationMails({
      database: db(),
      listener: api.container.listener,
      clock: systemClock,
      keys: keys(),
      baseUrl: 'https://vision.example.com',
    }).run(stopping.signal);
    loops.push(async () => {
      stopping.abort();
      await running;
    });
    await tell(api, tenant, alert());
    await db().inPlatform((tx) => fanOut(tx, now, 500, { settleS: 0, windowS: 900 }));
    await until(async () => {
      await send();
      return mailsTo(operator).length > 0;
    }, 'the mail was sent');
    expect(mailsTo(operator).map((mail) => mail.subject)).toEqual([
      '[VisionOps] Alert HighErrorRate fired (critical)',
    ]);
  });

  it('warn the owner of an access token a week before its end, once', async () => {
    const made = async (days: number) =>
      (
        await api.call('POST', '/users/me/tokens', {
          token: operator.token,
          json: {
            kind: 'tracker',
            tenant_code: tenant.code,
            name: `for ${days} days`,
            expires_in_days: days,
          },
        })
      ).status;
    expect([await made(5), await made(30)]).toEqual([201, 201]);
    const [task] = createNotificationHousekeeping(db(), { now: () => now });
    expect(task?.name).toBe('expiring-tokens');
    expect(await task?.run(new AbortController().signal)).toBe(1);
    expect(await task?.run(new AbortController().signal)).toBe(0);
    await reported();
    expect(await feed(api, operator, tenant)).toMatchObject([
      { kind: 'token_expiring', title: expect.stringContaining('token for 5 days expires on') },
    ]);
    later(31);
    await write();
    await send();
    expect(mailsTo(operator).map((mail) => mail.subject)).toEqual([
      expect.stringContaining('Your access token for 5 days expires on'),
    ]);
  });
});
