import { Migration } from '@mikro-orm/migrations';
import { tenantOncePerStatement } from './tracker-search.js';

/** Runs are searched by their newest metrics. */
export class MetricLatestPolicy extends Migration {
  override up(): void {
    this.addSql(tenantOncePerStatement('metric_latest'));
  }
}
