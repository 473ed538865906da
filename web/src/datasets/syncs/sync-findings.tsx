import { Box, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { wordOf } from '../../shared/state-chip';
import { useWorkflowFact } from '../../shared/temporal';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { syncQuery } from './queries';

const words = text.sources.syncs;

/** How a sync ended, and the files that it could not take, each with the reason. */
export function SyncFindings({ datasetId, syncId }: { datasetId: string; syncId: string }) {
  const tenant = useTenant();
  const workflows = useWorkflowFact('dataset-sync', syncId);
  const query = useQuery(syncQuery(tenant, datasetId, syncId));
  if (query.data === undefined) return <Reading query={query} lines={2} />;
  const { errors, warnings, status_message: message } = query.data;
  const findings = [...errors, ...warnings];
  return (
    <Stack gap="sm">
      <Reading query={query} />
      {message !== null && <Text size="sm">{message}</Text>}
      {workflows.map(([name, link]) => (
        <Text key={name} size="sm">
          {name}: {link}
        </Text>
      ))}
      {findings.length > 0 && (
        <Box mah={280} style={{ overflow: 'auto' }} tabIndex={0} role="group" aria-label={words.problems}>
          <Table verticalSpacing={2} aria-label={words.problems}>
            <Table.Tbody>
              {findings.map((finding) => (
                <Table.Tr key={`${finding.code} ${finding.path} ${finding.message}`}>
                  <Table.Td className="mono">{finding.path ?? ''}</Table.Td>
                  <Table.Td>{wordOf(finding.code)}</Table.Td>
                  <Table.Td>{finding.message}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Box>
      )}
    </Stack>
  );
}
