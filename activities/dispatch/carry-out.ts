import { AppError } from '../../core/errors/app-error.js';
import type { Logger } from '../../core/logging/logger.js';
import type { Mailer } from '../../core/ports/mailer.js';
import type { WorkflowEngine } from '../../core/ports/workflow-engine.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { DueEntry } from '../../models/orm/dispatch.repository.js';
import { openMail, type SealedMail } from '../../models/orm/sealed-mail.js';

export interface CarryOutDeps {
  readonly engine: WorkflowEngine;
  readonly mailer: Mailer;
  readonly keys: KeyRing;
  readonly logger: Logger;
  /** Notes that a mail server is about to get the mail of this entry. */
  readonly noteHandOver: (id: number) => Promise<void>;
}

/** `failed` is tried again; `dropped` can never succeed and ends the entry. */
export type Outcome = { readonly kind: 'done' } | { readonly kind: 'failed' | 'dropped'; readonly reason: string };

/** The same for every try of an entry. */
const keyOf = (id: number): string => `dispatch:${id}`;

const DONE: Outcome = { kind: 'done' };

/** Carries out one entry. Never throws: says how it went. */
export async function carryOut(deps: CarryOutDeps, { id, entry, isUnclear }: DueEntry): Promise<Outcome> {
  const { engine, logger } = deps;
  try {
    switch (entry.kind) {
      case 'start':
        await engine.start(entry.start);
        return DONE;
      case 'signal':
        if (!(await engine.signal(entry.workflowId, entry.signal, entry.args, keyOf(id))))
          logger.info({ workflow_id: entry.workflowId, signal: entry.signal }, 'signal for a workflow that has ended');
        return DONE;
      case 'cancel':
        await engine.cancel(entry.workflowId);
        return DONE;
      case 'mail':
        if (entry.mail.isOnce && isUnclear) return { kind: 'dropped', reason: 'A worker ended while the mail was handed over; it may have arrived and is not sent again.' };
        return await sendMail(deps, entry.mail, id);
    }
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

async function sendMail({ mailer, keys, noteHandOver }: CarryOutDeps, mail: SealedMail, id: number): Promise<Outcome> {
  if (mail.expiresAt !== null && Date.parse(mail.expiresAt) <= Date.now()) return { kind: 'dropped', reason: 'The mail expired before it could be sent.' };
  try {
    await mailer.send(openMail(keys, mail), keyOf(id), mail.isOnce ? () => noteHandOver(id) : undefined);
    return DONE;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unprocessable_entity') return { kind: 'dropped', reason: error.message };
    throw error;
  }
}
