import { Migration } from '@mikro-orm/migrations';
import { APP, CURRENT_TENANT, PLATFORM, SEARCH } from './house.js';

/** Search of files by name answers at most so many, with what lists sort and filter by, so that one call serves page and total. */
export class M0345FileSearch extends Migration {
  override up(): void {
    const signature = 'search_dataset_file(uuid, text, int)';
    // Planned with the pattern at hand: a rare one is found by its trigrams, a common one by reading rows until enough are found.
    this.addSql(`create function search_dataset_file(dataset uuid, pattern text, most int)
      returns table (id uuid, path text, size_bytes bigint, created_at timestamptz, status text, kind text, origin text)
      language plpgsql stable security definer rows 100 set search_path = public, pg_temp as $$
      begin
        return query execute
          'select id, path, size_bytes, created_at, status, kind, origin from dataset_file where tenant_id = $1 and dataset_id = $2 and path ilike $3 limit $4'
          using ${CURRENT_TENANT}, dataset, pattern, most;
      end $$`);
    this.addSql(`alter function ${signature} owner to ${SEARCH}`);
    this.addSql(`revoke all on function ${signature} from public`);
    this.addSql(`grant execute on function ${signature} to ${APP}, ${PLATFORM}`);
    this.addSql('drop function search_dataset_file(uuid, text)');
  }
}
