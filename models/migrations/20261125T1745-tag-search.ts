import { Migration } from '@mikro-orm/migrations';
import { tenantOncePerStatement, valueSearch } from './tracker-search.js';

/** Runs are searched by their tags. */
export class TagSearch extends Migration {
  override up(): void {
    this.addSql(tenantOncePerStatement('tag'));
    this.addSql(valueSearch('tag'));
  }
}
