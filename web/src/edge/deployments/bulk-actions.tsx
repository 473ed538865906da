import { useQueryClient } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { type Deployment, deploymentsKey } from '../../shared/deployments/queries';
import { BulkAction } from '../../shared/list/bulk-action';
import { text } from '../../text';
import { isOffered } from './one/orders';
import { giveOrder, type Order } from './queries';

const words = text.deployments.control;

/** A way back is left out: what it would do is shown for one deployment at a time. */
const ORDERS: readonly Exclude<Order, 'rollback'>[] = ['pause', 'resume', 'retry-failed', 'abort'];

/** Orders to the chosen deployments, each to those whose status allows it. */
export function BulkActions({ rows, done }: { rows: readonly Deployment[]; done: () => void }) {
  const tenant = useTenant();
  const client = useQueryClient();
  return ORDERS.map((order) => {
    const fit = rows
      .filter(({ status }) => isOffered(order, status))
      .map(({ id, model_name, version }) => ({ id, name: text.deployments.name(model_name, version) }));
    const { action, title, hint, none } = words.bulk[order];
    return (
      <BulkAction
        key={order}
        rows={fit}
        call={({ id }) => giveOrder(tenant, id, order)}
        to={['ROLLBACK', 'DEPLOY']}
        action={action}
        reason={fit.length === 0 ? none : null}
        title={title(words.many(fit.length, fit[0]?.name ?? ''))}
        isGrave={order === 'abort'}
        renew={() => void client.invalidateQueries({ queryKey: deploymentsKey(tenant) })}
        done={done}
      >
        {hint}
      </BulkAction>
    );
  });
}
