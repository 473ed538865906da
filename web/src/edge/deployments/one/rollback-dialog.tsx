import { List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../../app/session';
import { Confirm } from '../../../shared/confirm';
import type { Deployment } from '../../../shared/deployments/queries';
import { ErrorCard } from '../../../shared/error-card';
import { Loading } from '../../../shared/loading';
import { text } from '../../../text';
import { rollbackQuery } from '../queries';
import { wayBack } from './way-back';

const words = text.deployments.control;

interface RollbackProps {
  readonly deployment: Deployment;
  readonly onClose: () => void;
  readonly run: () => Promise<unknown>;
}

/** Says which version goes back to which before it is done. */
export function RollbackDialog({ deployment, onClose, run }: RollbackProps) {
  const { model_name: model, version } = deployment;
  return (
    <Confirm
      opened
      onClose={onClose}
      title={words.rollbackTitle(text.deployments.name(model, version))}
      action={words.rollback}
      run={run}
    >
      <Way deployment={deployment} />
    </Confirm>
  );
}

function Way({ deployment }: { deployment: Deployment }) {
  const query = useQuery(rollbackQuery(useTenant(), deployment.id));
  if (query.isPending) return <Loading lines={3} />;
  if (query.isError) return <ErrorCard error={query.error} onRetry={() => void query.refetch()} />;
  const { items, total } = query.data;
  const ways = wayBack(deployment, items);
  if (ways.length === 0) return <Text>{words.rollbackNone}</Text>;
  return (
    <Stack gap="sm">
      <Text>{words.rollbackHint}</Text>
      <List aria-label={words.wayBack}>
        {ways.map(({ from, to, count }) => (
          <List.Item key={String(to)}>
            {to === null ? words.stay(count, from) : words.goBack(count, from, to)}
          </List.Item>
        ))}
      </List>
      {items.length < total && (
        <Text size="sm" c="dimmed">
          {words.rollbackPart(items.length, total)}
        </Text>
      )}
    </Stack>
  );
}
