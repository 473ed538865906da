import { setPriority } from 'node:os';
import { hashSync, verifySync } from '@node-rs/argon2';
import { PASSWORD_COST } from './password-cost.js';
import type { PasswordOrder, PasswordReply } from './password-messages.js';

/**
 * Gives way to whoever waits for a list, and still gets about a tenth of a core that others fill: with the lowest
 * priority (19) nobody could sign in while the machine is busy.
 */
const NICENESS = 10;

setPriority(NICENESS);
process.on('message', (order: PasswordOrder) => process.send?.(answer(order)));
process.once('disconnect', () => process.exit(0));

function answer(order: PasswordOrder): PasswordReply {
  try {
    return order.kind === 'hash' ? { hash: hashSync(order.password, PASSWORD_COST) } : { isSame: verifySync(order.stored, order.password) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : 'unknown' };
  }
}
