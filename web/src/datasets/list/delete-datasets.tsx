import { useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import type { Dataset } from '../queries';

const words = text.datasets;

/** Deletes the chosen datasets; those that are refused stay, and the dialog says why. */
export function DeleteDatasets({ rows, done }: { rows: readonly Dataset[]; done: () => void }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [first] = rows;
  const isOne = rows.length === 1 && first !== undefined;
  return (
    <BulkAction
      rows={rows}
      call={({ id }) =>
        body(tenant.api.DELETE('/api/v1/datasets/{dataset_id}', { params: { path: { dataset_id: id } } }))
      }
      to="DATASET_WRITE"
      action={words.delete}
      title={isOne ? words.deleteTitle(first.name) : words.deleteMany(rows.length)}
      name={isOne ? first.name : words.manyName(rows.length)}
      renew={() => client.invalidateQueries({ queryKey: [tenant.code, 'datasets'] })}
      done={done}
    >
      {words.deleteHint}
      {!isOne && (
        <ul>
          {rows.map(({ id, name }) => (
            <li key={id}>{name}</li>
          ))}
        </ul>
      )}
    </BulkAction>
  );
}
