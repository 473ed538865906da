import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useZone } from '../../app/preferences';
import type { ChartRange } from './curve';
import type { LineLook } from './line-looks';
import { plotOptions } from './plot-options';
import type { Columns } from './series';

interface LineChartProps {
  /** What is seen, in words. */
  readonly label: string;
  readonly columns: Columns;
  readonly looks: readonly LineLook[];
  readonly hidden: ReadonlySet<number>;
  /** Curve that stands out, or null. */
  readonly focused: number | null;
  readonly isLog: boolean;
  readonly xKind: 'step' | 'time';
  readonly height: number;
  /** Charts with the same key show their crosshair in the same place. */
  readonly syncKey: string;
  /** Must keep its identity. */
  readonly onCursor: (index: number | null) => void;
  readonly range?: ChartRange | undefined;
}

/** Curves on a canvas. Dragging zooms, a double click shows all again. */
export function LineChart(props: LineChartProps) {
  const { columns, looks, hidden, focused, isLog, xKind, height, syncKey, onCursor, range } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const data = useRef(columns);
  data.current = columns;
  const asked = useRef(range);
  asked.current = range;
  const isRanged = range !== undefined;
  const zone = useZone();
  const scheme = useComputedColorScheme('light');
  const shape = JSON.stringify(looks);
  useEffect(() => {
    const box = place.current;
    if (!box) return;
    const styles = getComputedStyle(box);
    const colours = {
      isDark: scheme === 'dark',
      text: styles.getPropertyValue('--mantine-color-dimmed'),
      line: styles.getPropertyValue('--line'),
    };
    const width = Math.max(120, box.clientWidth);
    const parsed = JSON.parse(shape) as LineLook[];
    const options = plotOptions({
      looks: parsed,
      colours,
      isLog,
      xKind,
      zone,
      syncKey,
      width,
      height,
      onCursor,
      onSelect: isRanged ? (from, to) => asked.current?.onZoom([from, to]) : null,
    });
    const made = new uPlot(options, data.current as uPlot.AlignedData, box);
    showDomain(made, asked.current);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (box.clientWidth > 0 && box.clientWidth !== made.width)
        made.setSize({ width: box.clientWidth, height });
    });
    observer.observe(box);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, scheme, isLog, xKind, zone, syncKey, height, onCursor, isRanged]);
  useEffect(() => {
    const made = plot.current;
    // As many columns as the plot was made for: otherwise it is made anew with the data of this moment.
    if (made && made.data !== (columns as unknown) && made.series.length === columns.length)
      made.batch(() => {
        made.setData(columns as uPlot.AlignedData, !isRanged && !isZoomed(made));
        showDomain(made, asked.current);
      });
  }, [columns, isRanged]);
  const [first, last] = range?.domain ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ends of the axis are what the chart follows
  useEffect(() => {
    if (plot.current) showDomain(plot.current, asked.current);
  }, [first, last]);
  useEffect(() => {
    const made = plot.current;
    if (!made) return;
    made.batch(() => {
      for (let index = 1; index < made.series.length; index++) {
        const show = !hidden.has(index - 1);
        if (made.series[index]?.show !== show) made.setSeries(index, { show });
      }
      made.setSeries(focused === null ? null : focused + 1, { focus: true });
    });
  });
  return (
    <div
      ref={place}
      role="img"
      aria-label={props.label}
      style={{ width: '100%', minWidth: 0, height, overflow: 'hidden' }}
    />
  );
}

/** The x axis shows the part that the page chose, whatever points are there. */
function showDomain(plot: uPlot, range: ChartRange | undefined): void {
  const [min, max] = range?.domain ?? [];
  if (min !== undefined && max !== undefined) plot.setScale('x', { min, max });
}

/** While somebody looks at a part, new points do not take it away. */
function isZoomed(plot: uPlot): boolean {
  const places = plot.data[0];
  const { min, max } = plot.scales.x ?? {};
  if (places.length < 2 || min === undefined || max === undefined || min === null || max === null)
    return false;
  return min > (places[0] ?? 0) || max < (places.at(-1) ?? 0);
}
