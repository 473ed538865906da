import { Migration } from '@mikro-orm/migrations';
import { tenantOncePerStatement } from './tracker-search.js';

/** Series are read by the thousands. */
export class MetricPointPolicy extends Migration {
  override up(): void {
    this.addSql(tenantOncePerStatement('metric_point'));
  }
}
