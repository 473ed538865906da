import { Anchor, Paper, Progress, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchChange } from '../../shared/search-change';
import { count, share } from '../../shared/numbers';
import { StateChip } from '../../shared/state-chip';
import { text } from '../../text';
import type { DatasetDetail } from '../queries';
import { numberOf, partsInOrder } from './findings';

const words = text.datasets.validation;
const MOST = 12;
type Rec = Readonly<Record<string, unknown>>;
const recordOf = (value: unknown): Rec => (typeof value === 'object' && value !== null ? (value as Rec) : {});

/** Figures of the report as small tables whose numbers lead on. */
export function Figures({ dataset, stats }: { dataset: DatasetDetail; stats: Rec }) {
  const annotations = recordOf(stats.annotations);
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {words.figures}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 3 }} spacing="md">
        <FilesByKind dataset={dataset} />
        <Sizes stats={stats} />
        <Parts splits={recordOf(stats.splits)} />
        <ObjectClasses rows={annotations.objects_by_class} />
        <ImageClasses dataset={dataset} />
        <BoxSizes sizes={recordOf(annotations.box_sizes)} />
      </SimpleGrid>
    </Stack>
  );
}

function Figure({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={3} size="h6">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}

function FilesByKind({ dataset }: { dataset: DatasetDetail }) {
  const change = useSearchChange();
  return (
    <Figure title={words.files}>
      <Table verticalSpacing={4} aria-label={words.files}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.kind}</Table.Th>
            <Table.Th>{words.state}</Table.Th>
            <Table.Th ta="right">{words.count}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {dataset.manifest.files.map(({ kind, status, files }) => (
            <Table.Tr key={`${kind} ${status}`}>
              <Table.Td>{kindWord(kind)}</Table.Td>
              <Table.Td>
                <StateChip state={status} look={status === 'valid' ? 'succeeded' : undefined} />
              </Table.Td>
              <Table.Td ta="right">
                <Anchor
                  component="button"
                  size="sm"
                  aria-label={`${count(files)} ${kindWord(kind)}, ${status}: ${words.show}`}
                  onClick={() => change({ tab: 'files', kind, status })}
                >
                  {count(files)}
                </Anchor>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Figure>
  );
}

const kindWord = (kind: string): string =>
  (text.datasets.fileList.kinds as Readonly<Record<string, string>>)[kind] ?? kind;

function Sizes({ stats }: { stats: Rec }) {
  const pixels = recordOf(stats.pixels);
  const sizes = recordOf(stats.image_sizes);
  const annotations = recordOf(stats.annotations);
  const of = (record: Rec, a: string, b: string): string | null => {
    const [w, h] = [numberOf(record[a]), numberOf(record[b])];
    return w === null || h === null ? null : words.pixels(Math.round(w), Math.round(h));
  };
  const least = of(pixels, 'min_width', 'min_height');
  const most = of(pixels, 'max_width', 'max_height');
  const median = of(sizes, 'median_width', 'median_height');
  if (least === null || most === null) return null;
  const matched = numberOf(annotations.match_rate);
  const annotated = numberOf(annotations.images_annotated);
  return (
    <Figure title={words.sizes}>
      <Text>{words.range(least, most)}</Text>
      {median !== null && (
        <Text size="sm" c="dimmed">
          {words.median(median, numberOf(sizes.distinct_sizes) ?? 1)}
        </Text>
      )}
      {matched !== null && (
        <Text size="sm">
          {words.matchRate}: {share(matched)}
        </Text>
      )}
      {annotated !== null && (
        <Text size="sm">
          {words.annotated}: {count(annotated)}
        </Text>
      )}
    </Figure>
  );
}

interface Bar {
  readonly key: string;
  readonly name: string;
  readonly value: number;
  readonly onShow?: () => void;
}

/** Names with a bar and a number, which leads on where it can. */
function Bars({ title, bars, total }: { title: string; bars: readonly Bar[]; total: number }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  if (bars.length === 0) return null;
  return (
    <Figure title={title}>
      <Table verticalSpacing={3} withRowBorders={false} aria-label={title}>
        <Table.Tbody>
          {bars.slice(0, MOST).map(({ key, name, value, onShow }) => (
            <Table.Tr key={key}>
              <Table.Td maw={140}>
                <Text size="sm" truncate title={name}>
                  {name}
                </Text>
              </Table.Td>
              <Table.Td w="45%">
                <Progress value={(value / most) * 100} size="sm" aria-label={name} />
              </Table.Td>
              <Table.Td ta="right">
                {onShow && value > 0 ? (
                  <Anchor
                    component="button"
                    size="sm"
                    onClick={onShow}
                    aria-label={`${name}, ${count(value)}: ${words.show}`}
                  >
                    {count(value)}
                  </Anchor>
                ) : (
                  count(value)
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {total > MOST && (
        <Text size="xs" c="dimmed">
          {words.moreClasses(total - MOST)}
        </Text>
      )}
    </Figure>
  );
}

function Parts({ splits }: { splits: Rec }) {
  const change = useSearchChange();
  const bars = partsInOrder(splits).map(([part, value]) => ({
    key: part,
    name: (text.datasets.gallery.splits as Readonly<Record<string, string>>)[part] ?? part,
    value: numberOf(recordOf(value).images) ?? 0,
    onShow: () => change({ tab: undefined, split: part, finding: undefined }),
  }));
  return <Bars title={words.parts} bars={bars} total={bars.length} />;
}

function ObjectClasses({ rows }: { rows: unknown }) {
  const change = useSearchChange();
  const bars = (Array.isArray(rows) ? rows : []).map((row) => {
    const { name, train, val, test, none } = recordOf(row);
    const value = [train, val, test, none].reduce<number>((sum, part) => sum + (numberOf(part) ?? 0), 0);
    return {
      key: String(name),
      name: String(name),
      value,
      onShow: () => change({ tab: undefined, class: String(name), finding: undefined }),
    };
  });
  return <Bars title={words.objectClasses} bars={bars} total={bars.length} />;
}

function ImageClasses({ dataset }: { dataset: DatasetDetail }) {
  const change = useSearchChange();
  if (dataset.annotation_format !== 'class_folders' && dataset.annotation_format !== null) return null;
  const bars = dataset.manifest.classes.map(({ name, count: value }) => ({
    key: name,
    name,
    value,
    onShow: () => change({ tab: undefined, class: name, finding: undefined }),
  }));
  return <Bars title={words.classes} bars={bars} total={dataset.manifest.class_count} />;
}

function BoxSizes({ sizes }: { sizes: Rec }) {
  const bars = (['small', 'medium', 'large'] as const).flatMap((size) => {
    const value = numberOf(sizes[size]);
    return value === null ? [] : [{ key: size, name: words.boxSizes[size], value }];
  });
  return <Bars title={words.boxes} bars={bars} total={bars.length} />;
}
