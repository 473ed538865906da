import uPlot from 'uplot';
import type { Zone } from '../moment';
import { metric } from '../numbers';
import type { LineLook } from './line-looks';
import { timeMarks } from './time-marks';

export interface PlotColours {
  readonly isDark: boolean;
  readonly text: string;
  readonly line: string;
}

interface PlotWishes {
  readonly looks: readonly LineLook[];
  readonly colours: PlotColours;
  readonly isLog: boolean;
  readonly xKind: 'step' | 'time';
  /** The zone of the hours on an axis of time. */
  readonly zone: Zone;
  readonly syncKey: string;
  readonly width: number;
  readonly height: number;
  readonly onCursor: (index: number | null) => void;
  /** Somebody dragged over a part of the x axis; null: dragging zooms the chart alone. */
  readonly onSelect: ((from: number, to: number) => void) | null;
}

const FONT = "12px 'Inter Variable', system-ui, sans-serif";

/** Options of uPlot for one chart of curves. */
export function plotOptions(wishes: PlotWishes): uPlot.Options {
  const { colours, isLog, xKind, zone, width, height, onSelect } = wishes;
  const axis = {
    stroke: colours.text,
    font: FONT,
    grid: { stroke: colours.line, width: 1 },
    ticks: { stroke: colours.line, width: 1, size: 4 },
  };
  return {
    width,
    height,
    // Days begin where the zone has them.
    ...(zone === 'utc' ? { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC') } : {}),
    legend: { show: false },
    scales: { x: { time: xKind === 'time' }, y: { distr: isLog ? 3 : 1 } },
    axes: [
      // Times take two lines: the day stands below the hour.
      xKind === 'time'
        ? { ...axis, size: 50, values: (_plot, places, _axis, _space, step) => timeMarks(places, step, zone) }
        : { ...axis, size: 32 },
      {
        ...axis,
        size: 58,
        values: (_plot, values) => values.map((value) => (value === null ? '' : metric(value))),
      },
    ],
    cursor: {
      sync: { key: wishes.syncKey, scales: ['x', null], setSeries: false },
      focus: { prox: 20 },
      points: { size: 7, one: true },
      ...(onSelect && {
        drag: { setScale: false, x: true, y: false, dist: 5 },
        bind: { dblclick: () => null },
      }),
    },
    focus: { alpha: 0.3 },
    series: [
      {},
      ...wishes.looks.map((look) => ({
        stroke: colours.isDark ? look.dark : look.light,
        width: 1.75,
        dash: [...look.dash],
        spanGaps: false,
        // A line shows nothing of a curve with one point.
        points: { show: (plot: uPlot, series: number) => countOf(plot.data[series]) <= 1, size: 7 },
      })),
    ],
    hooks: {
      setCursor: [(plot) => wishes.onCursor(plot.cursor.idx ?? null)],
      setSelect: onSelect === null ? [] : [(plot) => select(plot, onSelect)],
    },
  };
}

/** Charts that show their crosshair together select together: the one under the pointer speaks for all. */
function select(plot: uPlot, onSelect: (from: number, to: number) => void): void {
  const { left, width } = plot.select;
  const isOwn = Boolean(plot.cursor.event);
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  if (isOwn && width > 0) onSelect(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
}

function countOf(column: uPlot.AlignedData[number] | undefined): number {
  let points = 0;
  for (const value of column ?? []) if (value !== null && value !== undefined && ++points > 1) break;
  return points;
}
