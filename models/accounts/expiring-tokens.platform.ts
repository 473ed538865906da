import { claimExpiringTokens } from './access-token.sql.js';
import type { PlatformTransaction } from '../orm/transaction.js';
import { messages } from '../notifications/messages.rules.js';
import { notifyAll } from '../notifications/notify.commands.js';

/** Owners of access tokens are told this long before the end. */
const AHEAD_MS = 7 * 86_400_000;
const BATCH = 500;

/** Tells owners of tokens that end within a week, each once. @returns how many, at most 500 */
export async function tellExpiringTokens(tx: PlatformTransaction, now: Date): Promise<number> {
  const tokens = await claimExpiringTokens(tx, now, new Date(now.getTime() + AHEAD_MS), BATCH);
  for (const tenantId of new Set(tokens.map((token) => token.tenantId))) {
    const ofTenant = tokens.filter((token) => token.tenantId === tenantId);
    await notifyAll(
      tx,
      tenantId,
      ofTenant.map((token) =>
        messages.tokenExpiring({
          id: token.id,
          name: token.name,
          userId: token.userId,
          expiresAt: token.expiresAt,
        }),
      ),
    );
  }
  return tokens.length;
}
