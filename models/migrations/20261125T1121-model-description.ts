import { Migration } from '@mikro-orm/migrations';

/** What a client of MLflow says of a registered model. */
export class ModelDescription extends Migration {
  override up(): void {
    this.addSql('alter table model add column description text');
  }
}
