import { useQueryClient } from '@tanstack/react-query';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import { type Endpoint, mayStart } from '../queries';

const words = text.serving.endpoint;

/** What can be done with the chosen endpoints. */
export function BulkActions({ rows, done }: { rows: readonly Endpoint[]; done: () => void }) {
  const { api, code } = useTenant();
  const client = useQueryClient();
  const renew = () => void client.invalidateQueries({ queryKey: [code, 'endpoints'] });
  const paramsOf = ({ name }: Endpoint) => ({ params: { path: { name } } });
  const stopped = rows.filter(mayStart);
  const up = rows.filter(({ status }) => status !== 'STOPPED');
  const named = words.many(rows.length, rows[0]?.name ?? '');
  const ends = { renew, done };
  return (
    <>
      <BulkAction
        rows={stopped}
        call={(row) => body(api.POST('/api/v1/serving/endpoints/{name}/start', paramsOf(row)))}
        to="OPERATE"
        action={words.start}
        reason={stopped.length === 0 ? words.noneStopped : null}
        title={words.startTitle(words.many(stopped.length, stopped[0]?.name ?? ''))}
        isGrave={false}
        {...ends}
      >
        {words.startBody}
      </BulkAction>
      <BulkAction
        rows={up}
        call={(row) => body(api.POST('/api/v1/serving/endpoints/{name}/stop', paramsOf(row)))}
        to="OPERATE"
        action={words.stop}
        reason={up.length === 0 ? words.allStopped : null}
        title={words.stopMany(words.many(up.length, up[0]?.name ?? ''))}
        {...ends}
      >
        {words.stopBody}
      </BulkAction>
      <BulkAction
        rows={rows}
        call={(row) => body(api.DELETE('/api/v1/serving/endpoints/{name}', paramsOf(row)))}
        to="DEPLOY"
        action={words.delete}
        title={words.deleteMany(named)}
        name={named}
        {...ends}
      >
        {words.deleteBody}
      </BulkAction>
    </>
  );
}
