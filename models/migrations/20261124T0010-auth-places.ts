import { Migration } from '@mikro-orm/migrations';
import { openToAuth } from './table-policies.js';

/** From where people have signed in. */
export class AuthPlaces extends Migration {
  override up(): void {
    this.addSql(openToAuth('sign_in_place', 'select', 'insert', 'update', 'delete'));
  }
}
