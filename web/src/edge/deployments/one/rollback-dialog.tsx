import { List, Stack, Text } from '@mantine/core';
import { Confirm } from '../../../shared/confirm';
import type { Deployment } from '../../../shared/deployments/queries';
import { text } from '../../../text';

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

function Way({ deployment: { rollback: ways = [] } }: { deployment: Deployment }) {
  if (ways.length === 0) return <Text>{words.rollbackNone}</Text>;
  return (
    <Stack gap="sm">
      <Text>{words.rollbackHint}</Text>
      <List aria-label={words.wayBack}>
        {ways.map(({ from, to, count }) => (
          <List.Item key={`${from} ${to}`}>
            {to === null ? words.stay(count, from) : words.goBack(count, from, to)}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
