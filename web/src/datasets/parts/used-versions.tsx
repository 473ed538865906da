import { Anchor, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { DatasetLink } from '../../shared/links';
import type { Schemas } from '../../api/client';
import { CopyText } from '../../shared/copy-text';
import { LineageView } from '../../shared/lineage/lineage';
import { count } from '../../shared/numbers';
import { Time } from '../../shared/time';
import { text } from '../../text';
import type { DatasetDetail } from '../queries';
import { dataVersions, MOST_DRAWN, usageGraph } from './data-versions';
import { Section } from './usage-section';

const words = text.usage;

/** The dataset as it is and as it was, each with what was made from it. */
export function UsedVersions({ digest, usage }: { digest: string | null; usage: Schemas['UsageOut'] }) {
  const versions = dataVersions(digest, usage);
  return (
    <Section
      title={words.data}
      none={versions.length === 0 ? words.noData : null}
      heads={[words.digest, words.when, words.firstSeen, words.runs, words.versions, words.ofDigest]}
    >
      {versions.map((version) => (
        <Table.Tr key={version.digest}>
          <Table.Td>
            <CopyText value={version.digest} shown={version.digest.slice(0, 8)} />
          </Table.Td>
          <Table.Td>{version.isCurrent ? words.same : words.other}</Table.Td>
          <Table.Td>
            <Time iso={version.firstSeen} />
          </Table.Td>
          <Table.Td className="num">{count(version.runs)}</Table.Td>
          <Table.Td className="num">{count(version.models)}</Table.Td>
          <Table.Td>
            <MadeFrom digest={version.digest} />
          </Table.Td>
        </Table.Tr>
      ))}
    </Section>
  );
}

/** The ways to all models and devices that have to do with these data, also by way of other datasets. */
function MadeFrom({ digest }: { digest: string }) {
  const { code } = useTenant();
  const search = { dataset_digest: digest };
  return (
    <Group gap="sm">
      {(
        [
          ['/t/$tenant/models', text.frame.areas.models],
          ['/t/$tenant/edge', words.devicesOf],
        ] as const
      ).map(([to, label]) => (
        <Anchor
          key={to}
          size="sm"
          renderRoot={(props: object) => (
            <Link to={to} params={{ tenant: code }} search={search} {...props} />
          )}
        >
          {label}
        </Anchor>
      ))}
    </Group>
  );
}

/** Datasets that were copied from this one, or that it is a copy of. */
export function SameData({ usage: { same_data: same } }: { usage: Schemas['UsageOut'] }) {
  return (
    <Section
      title={words.sameData}
      none={same.length === 0 ? words.noSameData : null}
      heads={[words.dataset, words.digest, words.when]}
    >
      {same.map(({ dataset_id: id, name, digest, is_current: isCurrent }) => (
        <Table.Tr key={`${id} ${digest}`}>
          <Table.Td>
            <DatasetLink id={id}>{name}</DatasetLink>
          </Table.Td>
          <Table.Td>
            <CopyText value={digest} shown={digest.slice(0, 8)} />
          </Table.Td>
          <Table.Td>{isCurrent ? words.now : words.before}</Table.Td>
        </Table.Tr>
      ))}
    </Section>
  );
}

/** What was made of what. */
export function DrawnUsage({ dataset, usage }: { dataset: DatasetDetail; usage: Schemas['UsageOut'] }) {
  const graph = usageGraph(dataset.id, dataset.digest, usage);
  if (graph.edges.length === 0) return null;
  const isCut = Math.max(usage.items.length, usage.model_versions.length) > MOST_DRAWN;
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.lineage}
      </Title>
      <LineageView graph={graph} />
      {isCut && <Text c="dimmed">{text.lineage.newest(MOST_DRAWN)}</Text>}
    </Stack>
  );
}
