import { describe, expect, it } from '@jest/globals';
import { roleGrants, ROLES } from '../../../models/access/permission.rules.js';
import { digestMail, type MailedEntry } from '../../../models/notifications/mail-text.rules.js';
import { messages } from '../../../models/notifications/messages.rules.js';
import {
  administratorKinds,
  groupOf,
  kindOf,
  kindRolePairs,
  kindsOfRole,
  NOTIFICATION_GROUPS,
  NOTIFICATION_KINDS,
} from '../../../models/notifications/notification-catalog.rules.js';
import {
  joinRequests,
  type NotificationRequest,
  textsOf,
} from '../../../models/notifications/joined-requests.rules.js';

const request = (part: Partial<NotificationRequest>): NotificationRequest => ({
  id: 1,
  tenantId: 'a',
  kind: 'dataset_invalid',
  subject: 's',
  userId: null,
  title: 't',
  body: 'b',
  link: null,
  ...part,
});

describe('the catalog of notifications', () => {
  it('has every kind once, in a group that exists, and no group without kinds', () => {
    const keys = NOTIFICATION_KINDS.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    const groups: readonly string[] = NOTIFICATION_GROUPS.map(({ key }) => key);
    for (const { key, group } of NOTIFICATION_KINDS)
      expect([groups.includes(group), groupOf(key)?.key]).toEqual([true, group]);
    for (const { key } of NOTIFICATION_GROUPS)
      expect(NOTIFICATION_KINDS.some(({ group }) => group === key)).toBe(true);
  });

  it('shows a kind to exactly the roles that have its permission', () => {
    const { kinds, roles } = kindRolePairs();
    const pairs = kinds.map((kind, at) => `${kind} ${roles[at]}`);
    for (const { key, audience } of NOTIFICATION_KINDS)
      for (const role of ROLES) {
        const may = audience.to === 'members' && roleGrants(role, audience.permission);
        expect(pairs.includes(`${key} ${role}`)).toBe(may);
        expect(kindsOfRole(role).includes(key)).toBe(may);
      }
    expect(administratorKinds()).toEqual([
      'tenant_deletion_started',
      'tenant_deletion_done',
      'tenant_deletion_failed',
    ]);
  });

  it('knows the kind of every message', () => {
    const made = [
      ...(['SUCCEEDED', 'FAILED', 'CANCELED'] as const).map((status) =>
        messages.experimentEnded({ id: 'e', name: 'n', createdBy: null }, status, ''),
      ),
      messages.stageChanged('m', 1, 'None', 'Staging', 'Ada'),
      messages.promotionRequested('m', 1, 'Ada'),
      messages.promotionDecided('p', 'm', 1, 'was approved', '', null),
      messages.datasetValidated({ id: 'd', name: 'n', createdBy: null }, 1),
      messages.datasetInvalid({ id: 'd', name: 'n', createdBy: null }),
      messages.datasetSyncFailed({ id: 'd', name: 'n' }, 'why', null),
      messages.deploymentFailed({ id: 'x', modelName: 'm', version: 1 }, 'why', null),
      messages.alertFired({ id: 'x', rule: 'r', severity: 'critical', summary: '' }),
      messages.tokenExpiring({ id: 'x', name: 'n', userId: 'u', expiresAt: new Date(0) }),
      messages.deviceTokenExpiring('cam-1', new Date(0)),
      ...(['started', 'done', 'failed'] as const).map((state) =>
        messages.tenantDeletion({ id: 't', name: 'n', code: 'c', deletionId: 'd' }, state, ''),
      ),
    ];
    expect(made.map(({ kind }) => kind).sort()).toEqual(NOTIFICATION_KINDS.map(({ key }) => key).sort());
    for (const { kind, title } of made)
      expect([kindOf(kind) !== undefined, title.length > 5]).toEqual([true, true]);
  });

  it('makes links of names safe', () => {
    expect(messages.stageChanged('a/b c?', 2, 'None', 'Staging', null).link).toBe(
      '/api/v1/models/a%2Fb%20c%3F/versions/2',
    );
  });
});

describe('joining repeats', () => {
  it('keeps different outcomes of one version apart', () => {
    const decided = (promotion: string, outcome: string) =>
      messages.promotionDecided(promotion, 'm', 2, outcome, 'why', null);
    const news = [
      decided('p', 'was applied'),
      decided('p', 'was rolled back'),
      decided('q', 'was applied'),
      messages.stageChanged('m', 2, 'None', 'Staging', null),
      messages.stageChanged('m', 2, 'Staging', 'Archived', null),
    ].map((message, id) => ({ ...message, id, tenantId: 'a', link: message.link ?? null }));
    const entries = joinRequests([...news, { ...(news[0] as (typeof news)[0]), id: 9 }]);
    expect(entries.map((entry) => textsOf(entry).title)).toEqual([
      'Promotion of m version 2 was rolled back',
      'Promotion of m version 2 was applied',
      'm version 2 is now in Staging',
      'm version 2 is now in Archived',
      'Promotion of m version 2 was applied (2 times)',
    ]);
  });

  it('counts the same subject of a kind in a tenant, in the texts of the latest', () => {
    const gathered = joinRequests([
      request({ title: 'first' }),
      request({ subject: 'other' }),
      request({ tenantId: 'b' }),
      request({ tenantId: null }),
      request({ title: 'last' }),
    ]);
    expect(gathered.map(({ title, tenantId, subject, count }) => [title, tenantId, subject, count])).toEqual([
      ['t', 'a', 'other', 1],
      ['t', 'b', 's', 1],
      ['t', null, 's', 1],
      ['last', 'a', 's', 2],
    ]);
  });

  it('counts anything of a kind that is gathered as a whole', () => {
    expect(
      joinRequests([
        request({ kind: 'alert_fired', subject: '1' }),
        request({ kind: 'alert_fired', subject: '2' }),
      ]),
    ).toMatchObject([{ subject: '', count: 2 }]);
  });

  it('keeps every person that was named', () => {
    const [one] = joinRequests([
      request({ userId: 'u' }),
      request({ userId: null }),
      request({ userId: 'v' }),
      request({ userId: 'u' }),
    ]);
    expect([...(one?.people ?? [])]).toEqual(['u', 'v']);
  });

  it('leaves out kinds of another version of the platform', () => {
    expect(joinRequests([request({ kind: 'comet_seen' })])).toEqual([]);
    expect(textsOf({ kind: 'comet_seen', title: 'Comet', body: '', count: 2 })).toEqual({
      title: 'Comet (2 times)',
      body: '',
    });
  });
});

describe('the mail', () => {
  const entry = (nr: number, part: Partial<MailedEntry> = {}): MailedEntry => ({
    kind: 'dataset_invalid',
    title: `Title ${nr}`,
    body: 'Body.',
    link: '/x',
    count: 1,
    tenantId: '6f1c3c52-6e0f-4a0e-9d7c-8f4f4c0e2b11',
    tenantCode: 'acme',
    tenantName: 'Acme',
    ...part,
  });

  it('of one entry has its title, of more their number, and says how many are left out', () => {
    expect(digestMail({ email: 'a@example.com', entries: [entry(1)], total: 1 }, 'https://x').subject).toBe(
      '[VisionOps] Title 1',
    );
    const mail = digestMail(
      { email: 'a@example.com', entries: [entry(1), entry(2)], total: 60 },
      'https://x',
    );
    expect([mail.subject, mail.to, mail.token]).toEqual([
      '[VisionOps] 60 notifications',
      'a@example.com',
      null,
    ]);
    expect(mail.text).toContain('Title 1\nBody.\nTenant Acme (acme)\nhttps://x/x?tenant=acme');
    expect(mail.text).toContain('And 58 more.');
  });

  it('names no tenant where there is none', () => {
    const { text } = digestMail(
      { email: 'a@example.com', entries: [entry(1, { tenantCode: null, tenantName: null })], total: 1 },
      'https://x/',
    );
    expect(text).toContain('Title 1\nBody.\nhttps://x/x\n');
  });
});
