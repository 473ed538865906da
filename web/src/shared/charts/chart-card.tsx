import { ActionIcon, Group, Modal, Paper, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowsMaximize, IconChartLine, IconDownload, IconTable } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { text } from '../../text';
import type { ChartRange, ChartSettings, Curve } from './curve';
import { CurveChart } from './curve-chart';
import { CurveTable } from './curve-table';
import { saveText } from '../save-text';
import { align, csvOf } from './series';

interface ChartCardProps {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly settings: ChartSettings;
  readonly syncKey: string;
  /** Points that there are, where not all of them are drawn. */
  readonly sampledOf?: number | null;
  /** In the place of the chart: it loads, or failed. */
  readonly instead?: ReactNode;
  readonly range?: ChartRange;
}

const HEIGHT = 220;

/** One chart with what can be done with it: table, CSV, full screen. */
export function ChartCard(props: ChartCardProps) {
  const { title, curves, settings, syncKey, sampledOf = null, instead, range } = props;
  const [isTable, table] = useDisclosure(false);
  const [isFull, full] = useDisclosure(false);
  const words = text.training.charts;
  const hasLine = curves.some(({ points }) => points.length > 1);
  const download = () => {
    const columns = align(curves.map(({ points }) => points));
    saveText(
      `${title.replaceAll(/[^\w.-]+/g, '_')}.csv`,
      'text/csv',
      csvOf(
        words.x[settings.x],
        curves.map(({ label }) => label),
        columns,
      ),
    );
  };
  const chart = (height: number) => (
    <CurveChart
      title={title}
      curves={curves}
      settings={settings}
      syncKey={syncKey}
      height={height}
      range={range}
    />
  );
  const toTable = isTable ? words.showChart : words.showTable;
  return (
    <Paper withBorder p="sm" component="section" aria-label={title} miw={0}>
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text fw={600} truncate title={title}>
            {title}
          </Text>
          <Group gap={2} wrap="nowrap">
            {hasLine && (
              <Tool label={`${toTable}: ${title}`} onClick={table.toggle}>
                {isTable ? <IconChartLine size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
              </Tool>
            )}
            <Tool label={`${words.csv}: ${title}`} onClick={download}>
              <IconDownload size={16} aria-hidden />
            </Tool>
            <Tool label={`${words.fullScreen}: ${title}`} onClick={full.open}>
              <IconArrowsMaximize size={16} aria-hidden />
            </Tool>
          </Group>
        </Group>
        {instead ??
          (isTable || !hasLine ? <CurveTable title={title} curves={curves} x={settings.x} /> : chart(HEIGHT))}
        {sampledOf !== null && (
          <Text size="xs" c="dimmed">
            {words.sampled(sampledOf)}
          </Text>
        )}
      </Stack>
      <Modal
        opened={isFull}
        onClose={full.close}
        title={title}
        fullScreen
        closeButtonProps={{ 'aria-label': text.shared.close }}
      >
        <Stack gap="md">
          {hasLine && chart(Math.max(240, window.innerHeight - 320))}
          <CurveTable title={title} curves={curves} x={settings.x} />
        </Stack>
      </Modal>
    </Paper>
  );
}

function Tool({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip label={label} withArrow>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
