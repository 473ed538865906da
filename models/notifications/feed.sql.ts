/** $1 ids that the reader may see and that are locked. */
export const MARK_READ = `
  -- bulk: all that is unread in a feed
  update notification set read_at = now() where id = any($1)`;
