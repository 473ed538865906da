import { List, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../../app/session';
import { text } from '../../../text';
import { installedWord } from '../../fleet/installed';
import { fleetQuery } from '../../queries';
import { type Draft, missingIn } from './draft';
import { meantDevices } from './meant-devices';
import { planSentences } from './plan-text';

const words = text.deployments.fresh;

/** What will happen, or what is missing before it can. */
export function Plan({ draft }: { draft: Draft }) {
  const devices = useDeviceCount(draft);
  const missing = missingIn(draft);
  return (
    <Paper withBorder p="md" component="section" aria-label={words.plan} pos={{ md: 'sticky' }} top={72}>
      <Stack gap="sm" aria-live="polite">
        <Title order={2} size="h5">
          {words.plan}
        </Title>
        {missing.length > 0 ? (
          <List size="sm">
            {missing.map((what) => (
              <List.Item key={what}>{words.missing[what]}</List.Item>
            ))}
          </List>
        ) : (
          planSentences(draft, devices).map((sentence) => <Text key={sentence}>{sentence}</Text>)
        )}
      </Stack>
    </Paper>
  );
}

/** How many devices are meant, where the fleet says it; null: only the platform knows. */
function useDeviceCount(draft: Draft): number | null {
  const { model, target, location, current } = draft;
  const isSelection = target === 'selection';
  const { data, isPlaceholderData } = useQuery(
    fleetQuery(useTenant(), {
      ...(isSelection && location !== '' && { location }),
      ...(isSelection && current !== '' && { runs: installedWord(model, current) }),
    }),
  );
  return meantDevices(draft, data === undefined || isPlaceholderData ? null : data.counts);
}
