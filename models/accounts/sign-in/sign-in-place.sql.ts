import type { Transaction } from '../../orm/transaction.js';

export interface Place {
  readonly userId: string;
  readonly addressHash: string;
}

/** `seen_at` is exact to a day: a sign-in writes nothing where it is younger. @returns whether something was written */
export async function recordPlace(tx: Transaction, { userId, addressHash }: Place): Promise<boolean> {
  const written = await tx.execute(
    `-- hot: with every sign-in
     insert into sign_in_place as p (user_id, address_hash) select id, $2 from user_account where id = $1
     on conflict (user_id, address_hash) do update set seen_at = now()
       where p.seen_at < now() - interval '1 day'`,
    [userId, addressHash],
  );
  return written > 0;
}

/** Forgets the places seen longest ago, but for as many as are kept. */
export async function forgetOldest(tx: Transaction, userId: string, kept: number): Promise<void> {
  await tx.execute(
    `-- set: whatever is beyond the limit
     delete from sign_in_place where user_id = $1 and address_hash in (
       select address_hash from sign_in_place where user_id = $1
       order by seen_at desc, address_hash offset $2)`,
    [userId, kept],
  );
}

/** @returns how many went, at most `limit` */
export const forgetPlacesBefore = (tx: Transaction, days: number, limit: number): Promise<number> =>
  tx.execute(
    `-- bulk: a batch of all accounts
     delete from sign_in_place where (user_id, address_hash) in (
       select user_id, address_hash from sign_in_place
       where seen_at < now() - make_interval(days => $1) limit $2)`,
    [days, limit],
  );

/** Text, since it asks for many at once. The hash is that of `hashOf`; addresses are compared as `folded` says. */
export async function knownPlaces(
  tx: Transaction,
  asked: ReadonlyArray<{ readonly email: string; readonly place: string }>,
  days: number,
): Promise<Array<string | null>> {
  const rows = await tx.rows<{ userId: string | null }>(
    `select (
       select u.id from user_account u join sign_in_place p on p.user_id = u.id
       where lower(u.email) = lower(w.email) and p.seen_at > now() - make_interval(days => $3)
         and p.address_hash = encode(sha256(convert_to(u.id::text || '|' || w.place, 'UTF8')), 'hex')) as user_id
     from unnest($1::text[], $2::text[]) with ordinality as w (email, place, turn) order by turn`,
    [asked.map(({ email }) => email), asked.map(({ place }) => place), days],
  );
  return rows.map(({ userId }) => userId);
}
