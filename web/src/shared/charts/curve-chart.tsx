import { Group, Stack } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { useCallback, useMemo, useRef, useState } from 'react';
import { text } from '../../text';
import { metric } from '../numbers';
import type { ChartRange, ChartSettings, Curve } from './curve';
import { Legend } from './legend';
import { LineChart } from './line-chart';
import { align, positiveOnly, smooth } from './series';

interface CurveChartProps {
  readonly title: string;
  readonly curves: readonly Curve[];
  readonly settings: ChartSettings;
  readonly syncKey: string;
  readonly height: number;
  readonly range?: ChartRange | undefined;
}

/** Curves with their legend, which shows the values under the crosshair. */
export function CurveChart({ title, curves, settings, syncKey, height, range }: CurveChartProps) {
  const [hiddenIds, setHiddenIds] = useHiddenCurves(syncKey, title);
  const hidden = useMemo(() => new Set(hiddenIds), [hiddenIds]);
  const [focused, setFocused] = useState<number | null>(null);
  const values = useRef<Array<HTMLSpanElement | null>>([]);
  const columns = useMemo(
    () =>
      align(
        curves.map(({ points }) =>
          smooth(settings.isLog ? positiveOnly(points) : points, settings.smoothing),
        ),
      ),
    [curves, settings.isLog, settings.smoothing],
  );
  const shown = useRef(columns);
  shown.current = columns;
  // Not by state: the crosshair moves faster than a page should be drawn.
  const onCursor = useCallback((index: number | null) => {
    for (const [at, span] of values.current.entries()) {
      const value = index === null ? undefined : shown.current[at + 1]?.[index];
      if (span) span.textContent = value === undefined || value === null ? '' : metric(value);
    }
  }, []);
  const hiddenPlaces = useMemo(
    () => new Set(curves.flatMap(({ id }, at) => (hidden.has(id) ? [at] : []))),
    [curves, hidden],
  );
  return (
    <Stack gap={4} miw={0}>
      <LineChart
        label={text.training.charts.label(title, curves.map(({ label }) => label).join(', '))}
        columns={columns}
        looks={curves.map(({ look }) => look)}
        hidden={hiddenPlaces}
        focused={focused}
        isLog={settings.isLog}
        xKind={settings.x}
        height={height}
        syncKey={syncKey}
        onCursor={onCursor}
        range={range}
      />
      <Group gap={4} wrap="wrap">
        <Legend
          curves={curves}
          hidden={hidden}
          onHidden={(ids) => setHiddenIds([...ids])}
          onFocus={setFocused}
          valueRef={(at, span) => {
            values.current[at] = span;
          }}
        />
      </Group>
    </Stack>
  );
}

/** Ids of the curves that somebody took away: this tab of the browser remembers them. */
const useHiddenCurves = (page: string, title: string) =>
  useSessionStorage<readonly string[]>({
    key: `visionops.hidden.${page}.${title}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
