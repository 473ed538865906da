import type { Transaction } from '../orm/transaction.js';
import type { SchemaState } from './schema-state.rules.js';

/** Which migrations the database has, and which of them a program must know to serve it. */
export async function readSchemaState(tx: Transaction): Promise<SchemaState | null> {
  const [state] = await tx.query<SchemaState>(
    'select array(select name::text from mikro_orm_migrations) as applied, required_migration() as required',
  );
  return state ?? null;
}
