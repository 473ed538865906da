import { Migration } from '@mikro-orm/migrations';
import { tenantOncePerStatement, valueSearch } from './tracker-search.js';

/** Runs are searched by their params. */
export class ParamSearch extends Migration {
  override up(): void {
    this.addSql(tenantOncePerStatement('param'));
    this.addSql(valueSearch('param'));
  }
}
