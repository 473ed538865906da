import { countWaitingAbout, removeWaitingAbout } from '../../models/outbox/waiting-mails.platform.js';
import { pause } from '../support/background.js';
import { type Eraser, countOnce } from './erasure-step.platform.js';

/** A mail that was handed out before its entry went is a file by then. */
const ON_ITS_WAY_MS = 2000;

/** Mails about the tenant: those that wait for a mail server, and those that lie in the mail directory. */
export const removeMails: Eraser = async (step) => {
  const waiting = await countWaitingAbout(step.database, step.tenantId);
  await countOnce(step, { mails: waiting + (await step.mails.countAbout(step.tenantId)) });
  const { tried } = await removeWaitingAbout(step.database, step.tenantId);
  if (tried > 0) await pause(ON_ITS_WAY_MS, step.signal);
  step.signal.throwIfAborted();
  await step.mails.removeAbout(step.tenantId);
};
