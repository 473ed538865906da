import { Migration } from '@mikro-orm/migrations';

/** Unread entries are counted by tenant and kind from the index alone; old ones are looked for once an hour, which needs no index. */
export class M0901NotificationCounts extends Migration {
  override up(): void {
    this.addSql('drop index notification_unread_idx');
    this.addSql('drop index notification_age_idx');
    this.addSql('create index notification_unread_idx on notification (user_id, tenant_id, kind, is_personal) where in_app and read_at is null');
  }
}
