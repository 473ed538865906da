import { useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import type { Dataset } from '../queries';

const words = text.datasets;

/** Deletes the chosen datasets; those that are refused stay, and the dialog says why. */
export function DeleteDatasets({ rows, done }: { rows: readonly Dataset[]; done: () => void }) {
  const { api, code } = useTenant();
  const client = useQueryClient();
  const only = rows.length === 1 ? rows[0] : undefined;
  return (
    <BulkAction
      rows={rows}
      call={({ id }) =>
        body(api.DELETE('/api/v1/datasets/{dataset_id}', { params: { path: { dataset_id: id } } }))
      }
      to="DATASET_WRITE"
      action={words.delete}
      title={only ? words.deleteTitle(only.name) : words.deleteMany(rows.length)}
      name={only?.name ?? words.manyName(rows.length)}
      renew={() => client.invalidateQueries({ queryKey: [code, 'datasets'] })}
      done={done}
    >
      {words.deleteHint}
      {!only && (
        <ul>
          {rows.map(({ id, name }) => (
            <li key={id}>{name}</li>
          ))}
        </ul>
      )}
    </BulkAction>
  );
}
