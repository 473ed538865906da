import { defineEntity, p } from '@mikro-orm/core';

export const DispatchSchema = defineEntity({
  name: 'Dispatch',
  tableName: 'dispatch',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    tenantId: p.uuid().nullable(),
    kind: p.text().$type<'start' | 'signal' | 'cancel' | 'mail' | 'mail-removal'>(),
    /** Null for mails. */
    workflowId: p.text().nullable(),
    /** By kind; see `toEntry`. */
    payload: p.json<unknown>(),
    createdAt: p.datetime().defaultRaw('now()'),
    attempts: p.integer().default(0),
    /** Also the end of a lease; infinity once it was given up. */
    nextAttemptAt: p.datetime().defaultRaw('now()'),
    lastError: p.text().nullable(),
    /** Since when a mail server has it; null once that is settled. */
    handingOverAt: p.datetime().nullable(),
    /** Answers that refused it, in all tries. */
    refusals: p.integer().default(0),
    /** Null while it is tried. */
    givenUpAt: p.datetime().nullable(),
  },
});

export class Dispatch extends DispatchSchema.class {}
DispatchSchema.setClass(Dispatch);
