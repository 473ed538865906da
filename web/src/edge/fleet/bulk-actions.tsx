import { useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { DeployButton } from '../../shared/deployments/deploy-button';
import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import { type Device, pathOf } from '../queries';

const words = text.edge.actions;

/** What can be done with the chosen devices. */
export function BulkActions({ rows, done }: { rows: readonly Device[]; done: () => void }) {
  const { api, code } = useTenant();
  const client = useQueryClient();
  const ends = { renew: () => void client.invalidateQueries({ queryKey: [code, 'edge'] }), done };
  const named = rows.map(({ id, blocked }) => ({ name: id, blocked }));
  const [blocked, open] = [named.filter((row) => row.blocked), named.filter((row) => !row.blocked)];
  const whoOf = (some: typeof named) => words.many(some.length, some[0]?.name ?? '');
  const block = (id: string, isBlocked: boolean) =>
    body(
      api.POST('/api/v1/edge/devices/{device_id}/offline', {
        params: pathOf(id),
        body: { blocked: isBlocked },
      }),
    );
  return (
    <>
      <DeployButton
        size="compact-sm"
        label={text.deployments.deployChosen(rows.length)}
        search={{ ids: rows.map(({ id }) => id).join() }}
      />
      <BulkAction
        rows={named}
        call={({ name }) =>
          body(api.POST('/api/v1/edge/devices/{device_id}/restart', { params: pathOf(name) }))
        }
        to="OPERATE"
        action={words.restart}
        title={words.restartTitle(whoOf(named))}
        isGrave={false}
        {...ends}
      >
        {words.restartHint}
      </BulkAction>
      <BulkAction
        rows={open}
        call={({ name }) => block(name, true)}
        to="OPERATE"
        action={words.block}
        reason={open.length === 0 ? words.allBlocked : null}
        title={words.blockTitle(whoOf(open))}
        {...ends}
      >
        {words.blockHint}
      </BulkAction>
      <BulkAction
        rows={blocked}
        call={({ name }) => block(name, false)}
        to="OPERATE"
        action={words.unblock}
        reason={blocked.length === 0 ? words.noneBlocked : null}
        title={words.unblockTitle(whoOf(blocked))}
        isGrave={false}
        {...ends}
      >
        {words.unblockHint}
      </BulkAction>
      <BulkAction
        rows={named}
        call={({ name }) => body(api.DELETE('/api/v1/edge/devices/{device_id}', { params: pathOf(name) }))}
        to="SETTINGS"
        action={words.remove}
        title={words.removeTitle(whoOf(named))}
        name={whoOf(named)}
        {...ends}
      >
        {words.removeHint}
      </BulkAction>
    </>
  );
}
