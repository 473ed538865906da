import { Migration } from '@mikro-orm/migrations';
import { platformTable } from './house.js';

/** Addresses from which an account was signed in to, which strangers' guesses do not shut out. Only a hash of the address. */
export class M0970SignInPlaces extends Migration {
  override up(): void {
    this.addSql(`create table sign_in_place (
      user_id uuid not null references user_account (id) on delete cascade,
      address_hash text not null,
      seen_at timestamptz not null default now(),
      primary key (user_id, address_hash))`);
    this.addSql('create index sign_in_place_seen_idx on sign_in_place (seen_at)');
    this.addSql(platformTable('sign_in_place'));
    // As models/accounts/sign-in-place.repository.ts hashes it.
    this.addSql(`insert into sign_in_place (user_id, address_hash, seen_at)
      select user_id, encode(sha256(convert_to(user_id::text || '|' || ip, 'UTF8')), 'hex'), max(created_at) from auth_session where ip is not null group by user_id, ip`);
  }
}
