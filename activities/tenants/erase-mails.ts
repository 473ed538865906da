import { countWaitingAbout, removeWaitingAbout } from '../../models/orm/waiting-mails.repository.js';
import { pause } from '../support/background.js';
import { type Eraser, noteOnce } from './erasure-step.js';

/** A mail that was handed out before its entry went is a file by then. */
const ON_ITS_WAY_MS = 2000;

/** Mails that tell of the tenant: those that wait for a mail server, and those that lie in the mail directory. */
export const removeMails: Eraser = async (step) => {
  const waiting = await step.database.inPlatform((tx) => countWaitingAbout(tx, step.tenantId));
  await noteOnce(step, { mails: waiting + (await step.mails.countAbout(step.tenantId)) });
  const { tried } = await step.database.inPlatform((tx) => removeWaitingAbout(tx, step.tenantId));
  if (tried > 0) await pause(ON_ITS_WAY_MS, step.signal);
  step.signal.throwIfAborted();
  await step.mails.removeAbout(step.tenantId);
};
