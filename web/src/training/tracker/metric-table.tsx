import { Table } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTenant } from '../../app/session';
import { rangeOf } from '../../shared/charts/series';
import { metric } from '../../shared/numbers';
import { text } from '../../text';
import { rangeQuery, type Run } from './queries';
import { SomeRows } from './some-rows';

const words = text.training.charts;
const WIDTH = 110;

/** Metrics of a run with the last value of each, and between which values it went. */
export function MetricTable({ run }: { run: Run }) {
  const title = text.training.tracker.metrics;
  const rows = Object.entries(run.metrics as Readonly<Record<string, number | null>>).sort(([one], [other]) =>
    one.localeCompare(other),
  );
  return (
    <SomeRows title={title} all={rows}>
      {(some) => (
        <Table.ScrollContainer minWidth={520}>
          <Table verticalSpacing={4} aria-label={title} layout="fixed">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.training.tracker.metric}</Table.Th>
                {[words.last, words.least, words.greatest].map((head) => (
                  <Table.Th key={head} ta="right" w={WIDTH}>
                    {head}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {some.map(([name, last]) => (
                <MetricRow key={name} run={run} name={name} last={last} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </SomeRows>
  );
}

interface RowProps {
  readonly run: Run;
  readonly name: string;
  readonly last: number | null;
}

/** The range comes from the curve, which is read when its row comes into sight, now and then while the run logs, and once it has ended. */
function MetricRow({ run, name, last }: RowProps) {
  const tenant = useTenant();
  const { ref, inViewport } = useInViewport<HTMLTableRowElement>();
  const [wasSeen, setSeen] = useState(false);
  useEffect(() => {
    if (inViewport) setSeen(true);
  }, [inViewport]);
  const { data } = useQuery({ ...rangeQuery(tenant, run, name, inViewport), enabled: wasSeen });
  const range = data && rangeOf([...data.points.map(({ value }) => value), last]);
  return (
    <Table.Tr ref={ref}>
      <Table.Th scope="row" fw={400} className="mono" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Table.Th>
      <Table.Td ta="right">{metric(last)}</Table.Td>
      <Table.Td ta="right">{metric(range?.least)}</Table.Td>
      <Table.Td ta="right">{metric(range?.greatest)}</Table.Td>
    </Table.Tr>
  );
}
