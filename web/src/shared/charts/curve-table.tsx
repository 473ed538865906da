import { Table } from '@mantine/core';
import { useZone } from '../../app/preferences';
import { text } from '../../text';
import type { Zone } from '../moment';
import { metric } from '../numbers';
import { exact } from '../time';
import type { ChartSettings, Curve } from './curve';
import { summaryOf } from './series';
import { Swatch } from './swatch';

interface CurveTableProps {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly x: ChartSettings['x'];
}

/** What the curves come to, for readers who cannot see them and for those who want figures. */
export function CurveTable({ title, curves, x }: CurveTableProps) {
  const words = text.training.charts;
  return (
    <Table.ScrollContainer minWidth={380}>
      <Table aria-label={title} horizontalSpacing="xs" verticalSpacing={4} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.curve}</Table.Th>
            <Table.Th ta="right">{words.last}</Table.Th>
            <Table.Th ta="right">{words.least}</Table.Th>
            <Table.Th ta="right">{words.greatest}</Table.Th>
            <Table.Th ta="right">{words.points}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {curves.map((curve) => (
            <CurveRow key={curve.id} curve={curve} x={x} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function CurveRow({ curve, x }: { curve: Curve; x: ChartSettings['x'] }) {
  const { last, least, leastAt, greatest, greatestAt } = summaryOf(curve.points);
  const words = text.training.charts;
  const zone = useZone();
  return (
    <Table.Tr>
      <Table.Td>
        <Swatch look={curve.look} /> {curve.label}
      </Table.Td>
      <Table.Td ta="right">{metric(last)}</Table.Td>
      <Table.Td ta="right">{words.atPlace(metric(least), placeText(leastAt, x, zone))}</Table.Td>
      <Table.Td ta="right">{words.atPlace(metric(greatest), placeText(greatestAt, x, zone))}</Table.Td>
      <Table.Td ta="right">{curve.points.length}</Table.Td>
    </Table.Tr>
  );
}

/** Times stand on the axis as seconds. */
const placeText = (place: number | null, x: ChartSettings['x'], zone: Zone): string | null => {
  if (place === null) return null;
  return x === 'time' ? exact(new Date(place * 1000).toISOString(), zone) : String(place);
};
