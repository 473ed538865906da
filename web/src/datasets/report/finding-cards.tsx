import { Anchor, Box, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { useSearchChange } from '../../shared/search-change';
import { count } from '../../shared/numbers';
import { wordOf } from '../../shared/state-chip';
import { text } from '../../text';
import { Thumb } from '../gallery/thumb';
import { type DatasetDetail, imageAt } from '../queries';
import { type Finding, findingsOf } from './findings';
import { hasPictures, placeOfFinding } from './warning-places';

const words = text.datasets.validation;
const SHOWN = 4;

/** What was found in the pictures and their annotations, each with its first places. */
export function FindingCards({ dataset }: { dataset: DatasetDetail }) {
  const findings = findingsOf(dataset.validation);
  if (findings.length === 0) return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.findings}
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {findings.map((finding) => (
          <FindingCard key={finding.id} dataset={dataset} finding={finding} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** `annotations.case_mismatch` and `duplicates.near` have words of their own. */
export const findingName = (id: string): string =>
  words.codes[id] ?? words.codes[id.replace(/^annotations\./, '')] ?? wordOf(id);

function FindingCard({ dataset, finding }: { dataset: DatasetDetail; finding: Finding }) {
  const change = useSearchChange();
  const show = () => change(placeOfFinding(finding.id));
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="sm" wrap="nowrap">
          <Text fw={600}>{findingName(finding.id)}</Text>
          {hasPictures(finding) ? (
            <Anchor
              component="button"
              fw={600}
              onClick={show}
              aria-label={`${findingName(finding.id)}, ${count(finding.count)}: ${words.show}`}
            >
              {count(finding.count)}
            </Anchor>
          ) : (
            <Text fw={600}>{count(finding.count)}</Text>
          )}
        </Group>
        {!finding.isComplete && (
          <Text size="xs" c="dimmed">
            {words.incomplete}
          </Text>
        )}
        {finding.examples.slice(0, SHOWN).map((example) => (
          <Group key={example.text} gap="sm" wrap="nowrap">
            {example.paths.slice(0, 2).map((path) => (
              <PathThumb key={path} datasetId={dataset.id} path={path} />
            ))}
            <Text size="xs" c="dimmed" className="mono" style={{ overflowWrap: 'anywhere' }}>
              {example.text}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}

/** A picture that the report names by its path. */
function PathThumb({ datasetId, path }: { datasetId: string; path: string }) {
  const tenant = useTenant();
  const change = useSearchChange();
  const { data } = useQuery({
    queryKey: [tenant.code, 'datasets', datasetId, 'by-path', path],
    queryFn: ({ signal }) => imageAt(tenant, datasetId, path, signal),
    staleTime: 60_000,
  });
  const frame = { width: 56, height: 56, flexShrink: 0, borderRadius: 4, overflow: 'hidden' } as const;
  if (!data) return <Box bg="var(--ground-quiet)" style={frame} />;
  return (
    <button
      type="button"
      aria-label={text.datasets.gallery.open(path)}
      onClick={() => change({ tab: undefined, file: data.id, at: undefined }, { opensOver: true })}
      style={{ ...frame, padding: 0, border: '1px solid var(--line)', cursor: 'pointer', background: 'none' }}
    >
      <Thumb tenant={tenant.code} file={data} alt="" />
    </button>
  );
}
