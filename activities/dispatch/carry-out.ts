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
}

/** `failed` is tried again; `dropped` can never succeed and ends the entry. */
export type Outcome = { readonly kind: 'done' } | { readonly kind: 'failed' | 'dropped'; readonly reason: string };

const DONE: Outcome = { kind: 'done' };

/** Carries out one entry. Never throws: says how it went. */
export async function carryOut(deps: CarryOutDeps, { id, entry }: DueEntry): Promise<Outcome> {
  const { engine, logger } = deps;
  const key = `dispatch:${id}`;
  try {
    switch (entry.kind) {
      case 'start':
        await engine.start(entry.start);
        return DONE;
      case 'signal':
        if (!(await engine.signal(entry.workflowId, entry.signal, entry.args, key)))
          logger.info({ workflow_id: entry.workflowId, signal: entry.signal }, 'signal for a workflow that has ended');
        return DONE;
      case 'cancel':
        await engine.cancel(entry.workflowId);
        return DONE;
      case 'mail':
        return await sendMail(deps, entry.mail, key);
    }
  } catch (error) {
    return { kind: 'failed', reason: (error as Error).message };
  }
}

async function sendMail({ mailer, keys }: CarryOutDeps, mail: SealedMail, key: string): Promise<Outcome> {
  if (mail.expiresAt !== null && Date.parse(mail.expiresAt) <= Date.now()) return { kind: 'dropped', reason: 'The mail was not sent before its token expired.' };
  try {
    await mailer.send(openMail(keys, mail), key);
    return DONE;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unprocessable_entity') return { kind: 'dropped', reason: error.message };
    throw error;
  }
}
