import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { text } from '../../text';
import type { Dataset } from '../queries';

const words = text.datasets;

/** Deletes the chosen datasets, one after the other, so that a refusal says which one it is about. */
export function DeleteDatasets({ rows, done }: { rows: readonly Dataset[]; done: () => void }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [first] = rows;
  const isOne = rows.length === 1 && first !== undefined;
  const run = async () => {
    try {
      for (const { id } of rows)
        await body(
          tenant.api.DELETE('/api/v1/datasets/{dataset_id}', { params: { path: { dataset_id: id } } }),
        );
      done();
    } finally {
      await client.invalidateQueries({ queryKey: [tenant.code, 'datasets'] });
    }
  };
  return (
    <>
      <Allowed to="DATASET_WRITE">
        <Button size="compact-sm" color="red" variant="light" onClick={() => setOpen(true)}>
          {words.delete}
        </Button>
      </Allowed>
      <ConfirmByName
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={isOne ? words.deleteTitle(first.name) : words.deleteMany(rows.length)}
        name={isOne ? first.name : words.manyName(rows.length)}
        action={words.delete}
        run={run}
      >
        {words.deleteHint}
        {!isOne && (
          <ul>
            {rows.map(({ id, name }) => (
              <li key={id}>{name}</li>
            ))}
          </ul>
        )}
      </ConfirmByName>
    </>
  );
}
