import { useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import type { Model } from '../queries';

const words = text.models.model;

/** What can be done with the chosen models. */
export function BulkActions({ rows, done }: { rows: readonly Model[]; done: () => void }) {
  const { api, code } = useTenant();
  const client = useQueryClient();
  const named = words.many(rows.length, rows[0]?.name ?? '');
  return (
    <BulkAction
      rows={rows}
      call={({ name }) => body(api.DELETE('/api/v1/models/{name}', { params: { path: { name } } }))}
      to="MODEL_REGISTER"
      action={words.delete}
      title={words.deleteMany(named)}
      name={named}
      renew={() => void client.invalidateQueries({ queryKey: [code, 'models'] })}
      done={done}
    >
      {words.deleteBody}
    </BulkAction>
  );
}
