import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { startTestApi } from '../support/test-api.js';
import { AuditPlace, type Prepare, type PreparedCall } from './audit-cases/audit-case.js';
import { DATASET_CASES, UNAUDITED_DATASET_CASES } from './audit-cases/dataset-cases.js';
import { DEPLOYMENT_CASES } from './audit-cases/deployment-cases.js';
import { EDGE_CASES, UNAUDITED_EDGE_CASES } from './audit-cases/edge-cases.js';
import { PEOPLE_CASES, UNAUDITED_PEOPLE_CASES } from './audit-cases/people-cases.js';
import { UNAUDITED_WORK_CASES, WORK_CASES } from './audit-cases/work-cases.js';
import { type Change, ChangeLog } from './change-log.js';
import { fillPath, type Operation, operationsOf } from './operations.js';
import { probe, type ProbeAnswer, sampleBody, sampleQuery } from './probe.js';

const AUDITED = { ...DATASET_CASES, ...WORK_CASES, ...PEOPLE_CASES, ...EDGE_CASES, ...DEPLOYMENT_CASES };
const UNAUDITED = {
  ...UNAUDITED_DATASET_CASES,
  ...UNAUDITED_WORK_CASES,
  ...UNAUDITED_PEOPLE_CASES,
  ...UNAUDITED_EDGE_CASES,
};
const KEYS = Object.keys({ ...AUDITED, ...UNAUDITED });

/** What reports no change by itself: limits on attempts, and objects in the store that no row refers to yet. */
const BESIDE_CHANGES = new Set(['attempt_limit', 'orphaned_object', 'process_heartbeat']);

describe('every operation that changes something', () => {
  let at: AuditPlace;
  let log: ChangeLog;
  let operations: Operation[];
  beforeAll(async () => {
    const api = await startTestApi({ SERVICE_OUTBOUND_ALLOW: '127.0.0.1, localhost' });
    const source = await SourceServer.start({});
    source.add({ id: 'scans', files: 1 });
    const tenant = await api.addTenant();
    at = new AuditPlace(api, tenant, await api.addUser({ [tenant.code]: 'ADMIN' }), source);
    log = await ChangeLog.open(api);
    operations = operationsOf(api).filter(({ method }) => method !== 'GET');
  });
  afterAll(async () => {
    await log.close();
    await at.source.close();
    await at.api.close();
  });

  const isRealChange = ({ tables }: Change) => tables.some((table) => !BESIDE_CHANGES.has(table));

  /** Calls with what was prepared. @returns what was written meanwhile, by transaction */
  const changesOf = async (key: string, prepare: Prepare): Promise<Change[]> => {
    const call = await prepare(at);
    await log.take();
    const leave = new AbortController();
    const answered = send(key, call, leave.signal).catch((error: unknown) =>
      call.leaves ? null : Promise.reject(error),
    );
    const written: Change[] = [];
    for (let left = 100; call.leaves && left > 0 && !written.some(isRealChange); left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      written.push(...(await log.take()));
    }
    if (call.leaves) leave.abort();
    const answer = await answered;
    await call.end?.();
    expect([key, answer === null || answer.status < 300, answer]).toEqual([key, true, answer]);
    return [...written, ...(await log.take())].filter(isRealChange);
  };

  const send = async (key: string, call: PreparedCall, signal: AbortSignal): Promise<ProbeAnswer> => {
    const operation = operations.find((each) => each.key === key) as Operation;
    const { headers, body } = sampleBody(at.api, operation, call.json);
    const form = call.raw?.form && new URLSearchParams(call.raw.form).toString();
    return probe(at.api, operation, {
      token: call.token ?? (operation.access === 'admin' ? at.api.admin.token : at.user.token),
      tenant: at.tenant.code,
      path:
        fillPath(operation.path, (name) => call.values?.[name] ?? '!') +
        (call.query ?? sampleQuery(at.api, operation)),
      headers: { ...headers, ...call.raw?.headers },
      body: form ?? (call.raw?.body as Buffer | undefined) ?? body,
      signal,
    });
  };

  it('is known as one that writes an audit row, or by the reason why it writes none', () => {
    expect([...KEYS].sort()).toEqual(operations.map(({ key }) => key).sort());
    expect(KEYS.length).toBe(Object.keys(AUDITED).length + Object.keys(UNAUDITED).length);
  });

  it('is distinguished from one whose audit row comes in another transaction, or not at all', async () => {
    const rename = "update tenant set name = name || '.' where id = $1";
    const entry = "insert into audit_entry (action, target_kind, target_id) values ('planted', 'x', $1)";
    await log.take();
    for (const work of [[rename, entry], [rename], [entry]])
      await at.api.container.db.inPlatform(async (tx) => {
        for (const sql of work) await tx.execute(sql, [at.tenant.id]);
      });
    expect((await log.take()).map(({ tables, entries }) => [tables, entries])).toEqual([
      [['audit_entry', 'tenant'], ['planted']],
      [['tenant'], []],
      [['audit_entry'], ['planted']],
    ]);
  });

  it.each(Object.entries(AUDITED))(
    '%s writes exactly one audit row, in the transaction of its change',
    async (key, { action, prepare }) => {
      const changes = await changesOf(key, prepare);
      expect(changes.map(({ entries, tables }) => (entries.length > 0 ? entries : tables))).toEqual([
        [action],
      ]);
      expect(
        changes[0]?.tables.filter((table) => table !== 'audit_entry' && !BESIDE_CHANGES.has(table)),
      ).not.toEqual([]);
    },
  );

  it.each(Object.entries(UNAUDITED))('%s writes no audit row', async (key, { prepare }) => {
    expect((await changesOf(key, prepare)).flatMap(({ entries }) => entries)).toEqual([]);
  });
});
