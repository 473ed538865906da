import { Checkbox, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import type { Source } from '../queries';

const words = text.sources;

/** Deletes the chosen sources; those with datasets only where these may be unlinked. */
export function DeleteSources({ rows, done }: { rows: readonly Source[]; done: () => void }) {
  const { api, code } = useTenant();
  const client = useQueryClient();
  // The question takes its field with it: what was ticked for some sources says nothing of others.
  const force = useRef<HTMLInputElement>(null);
  const named = words.many(rows.length, rows[0]?.name ?? '');
  const linked = rows.reduce((sum, { dataset_count }) => sum + dataset_count, 0);
  return (
    <BulkAction
      rows={rows}
      call={({ id }) =>
        body(
          api.DELETE('/api/v1/external-sources/{source_id}', {
            params: { path: { source_id: id }, query: { force: force.current?.checked ?? false } },
          }),
        )
      }
      to="DATASET_WRITE"
      action={words.delete}
      title={words.deleteMany(named)}
      name={named}
      renew={() => void client.invalidateQueries({ queryKey: [code, 'sources'] })}
      done={done}
    >
      <Stack gap="sm">
        {words.deleteHint}
        {linked > 0 && <Checkbox ref={force} label={words.deleteForce(linked)} />}
      </Stack>
    </BulkAction>
  );
}
