import { AppError } from '../../core/errors/app-error.js';
import type { Logger } from '../../core/logging/logger.js';
import type { Mail, Mailer } from '../../core/ports/mailer.js';
import type { WorkflowEngine } from '../../core/ports/workflow-engine.js';
import type { KeyRing } from '../../core/security/key-ring.js';
import type { DispatchEntry } from '../../models/outbox/dispatch.js';
import type { DueEntry, Outcome } from '../../models/outbox/dispatch.platform.js';
import { openMail, type SealedMail } from '../../models/outbox/sealed-mail.js';

export interface DeliveryDeps {
  readonly engine: WorkflowEngine;
  readonly mailer: Mailer;
  readonly keys: KeyRing;
  readonly logger: Logger;
  /** Removes the mails to an address that were asked for before an entry. */
  readonly removeMails: (address: string, entryId: number) => Promise<void>;
  /** Records that a mail server is about to get the mail of this entry. */
  readonly recordHandOver: (id: number) => Promise<void>;
}

/** The same for every try of an entry. */
const keyOf = (id: number): string => `dispatch:${id}`;

const DONE: Outcome = { kind: 'done' };

/** Delivers one entry. Never throws: says how it went. */
export async function deliverEntry(deps: DeliveryDeps, { id, entry, isUnclear }: DueEntry): Promise<Outcome> {
  const { engine, logger } = deps;
  try {
    switch (entry.kind) {
      case 'start':
        await engine.start(entry.start);
        return DONE;
      case 'signal':
        await deliverSignal(engine, logger, entry, keyOf(id));
        return DONE;
      case 'cancel':
        await engine.cancel(entry.workflowId);
        return DONE;
      case 'mail':
        if (entry.mail.isOnce && isUnclear)
          return {
            kind: 'dropped',
            reason:
              'A worker ended while the mail was handed over; it may have arrived and is not sent again.',
          };
        return await sendMail(deps, entry.mail, id);
      case 'mail-removal':
        await deps.removeMails(entry.address, id);
        return DONE;
    }
  } catch (error) {
    return { kind: isAway(entry.kind, error) ? 'failed' : 'refused', reason: (error as Error).message };
  }
}

async function deliverSignal(
  engine: WorkflowEngine,
  logger: Logger,
  { workflowId, signal, args, start }: Extract<DispatchEntry, { kind: 'signal' }>,
  key: string,
): Promise<void> {
  const facts = { workflow_id: workflowId, signal };
  if (start !== undefined) {
    if (await engine.signalWithStart(start, signal, args, key))
      logger.warn(facts, 'workflow was gone and was started again for a signal');
  } else if (!(await engine.signal(workflowId, signal, args, key)))
    logger.info(facts, 'signal for a workflow that has ended');
}

/** What a mail server refuses for good is dropped by name; whatever else it says may pass. */
const isAway = (kind: DueEntry['entry']['kind'], error: unknown): boolean =>
  kind === 'mail-removal' ||
  (kind === 'mail' && !(error instanceof UnreadableMail)) ||
  (error instanceof AppError && error.code === 'service_unavailable');

/** Sealed with a key that is not in the ring any more, for instance: it can be read once the key is back. */
class UnreadableMail extends Error {
  override readonly name = 'UnreadableMail';
}

function open(keys: KeyRing, mail: SealedMail): Mail {
  try {
    return openMail(keys, mail);
  } catch (error) {
    throw new UnreadableMail(`The mail cannot be unsealed: ${(error as Error).message}`, { cause: error });
  }
}

async function sendMail(
  { mailer, keys, recordHandOver }: DeliveryDeps,
  mail: SealedMail,
  id: number,
): Promise<Outcome> {
  if (mail.expiresAt !== null && Date.parse(mail.expiresAt) <= Date.now())
    return { kind: 'dropped', reason: 'The mail expired before it could be sent.' };
  const opened = open(keys, mail);
  try {
    await mailer.send(opened, keyOf(id), mail.isOnce ? () => recordHandOver(id) : undefined);
    return DONE;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unprocessable_entity')
      return { kind: 'dropped', reason: error.message };
    throw error;
  }
}
