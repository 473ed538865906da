import { MultiSelect, Stack, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import './parallel.css';
import type { LineLook } from '../../shared/charts/line-looks';
import { metric } from '../../shared/numbers';
import { text } from '../../text';
import type { Comparison } from '../tracker/queries';
import { type Axis, axisOf, type ComparedRuns, compareRows, firstAxes, placesOfAxes } from './compare-rows';

const HEIGHT = 380;
const TOP = 36;

interface ParallelProps {
  readonly comparison: Comparison;
  readonly looks: ReadonlyMap<string, LineLook>;
  readonly labels: ReadonlyMap<string, string>;
}

interface ChosenAxes {
  /** Ids of the axes; undefined: nobody has chosen. */
  readonly axes: readonly string[] | undefined;
  readonly onAxes: (axes: readonly string[]) => void;
}

/** Each run is a line over the axes; what goes together is seen. The table has the same figures. */
export function Parallel({ axes: given, onAxes, ...compared }: ParallelProps & ChosenAxes) {
  const words = text.training.compare;
  const rows = compareRows(compared.comparison as ComparedRuns, false);
  const chosen = given ?? firstAxes(rows);
  const axes = chosen.flatMap((id) => {
    const row = rows.find(({ kind, name }) => `${kind}:${name}` === id);
    return row ? axisOf(row, metric) : [];
  });
  const options = (['params', 'metrics'] as const).map((kind) => ({
    group: words[kind],
    items: rows
      .filter((row) => row.kind === kind)
      .map(({ name }) => ({ value: `${kind}:${name}`, label: name })),
  }));
  return (
    <Stack gap="sm">
      <MultiSelect
        label={words.axes}
        description={words.axesHint}
        searchable
        limit={200}
        data={options}
        value={[...chosen]}
        onChange={onAxes}
      />
      {axes.length >= 2 && <Lines axes={axes} {...compared} />}
      <Text size="sm" c="dimmed">
        {words.colourBy}
      </Text>
    </Stack>
  );
}

function Lines({ axes, comparison, looks, labels }: ParallelProps & { axes: readonly Axis[] }) {
  const { ref, width: box } = useElementSize();
  const scheme = useComputedColorScheme('light');
  const { width, xOf } = placesOfAxes(axes.length, box);
  const yOf = (place: number) => TOP + (1 - place) * (HEIGHT - TOP - 16);
  return (
    <section
      ref={ref}
      aria-label={text.training.compare.parallel}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      style={{ width: '100%', overflowX: 'auto' }}
    >
      <svg
        width={width}
        height={HEIGHT}
        className="parallel"
        role="img"
        aria-label={text.training.compare.parallelLabel(
          comparison.runs.length,
          axes.map(({ name }) => name).join(', '),
        )}
      >
        {comparison.runs.map((run, place) => {
          const look = looks.get(run.run_id);
          return (
            <path
              key={run.run_id}
              d={pathOf(axes, place, xOf, yOf)}
              fill="none"
              stroke={scheme === 'dark' ? look?.dark : look?.light}
              strokeDasharray={look?.dash.join(' ')}
              className="parallel-line"
            >
              <title>{labels.get(run.run_id)}</title>
            </path>
          );
        })}
        {axes.map((axis, at) => (
          <AxisLine key={axis.id} axis={axis} x={xOf(at)} yOf={yOf} isLast={at === axes.length - 1} />
        ))}
      </svg>
    </section>
  );
}

interface AxisLineProps {
  readonly axis: Axis;
  readonly x: number;
  readonly yOf: (place: number) => number;
  readonly isLast: boolean;
}

function AxisLine({ axis, x, yOf, isLast }: AxisLineProps) {
  return (
    <g fontSize={11} fill="var(--mantine-color-dimmed)">
      <line x1={x} x2={x} y1={yOf(0)} y2={yOf(1)} stroke="var(--mantine-color-dimmed)" />
      <text x={x} y={16} textAnchor="middle" fill="var(--mantine-color-text)" fontWeight={600}>
        {short(axis.name, 20)}
      </text>
      {axis.ticks.map(({ place, label }) => (
        <text
          key={`${place} ${label}`}
          x={isLast ? x + 6 : x - 6}
          y={yOf(place) + 4}
          textAnchor={isLast ? 'start' : 'end'}
        >
          {short(label, 12)}
        </text>
      ))}
    </g>
  );
}

/** A line over the axes; it is broken where the run has no value. */
function pathOf(
  axes: readonly Axis[],
  run: number,
  xOf: (at: number) => number,
  yOf: (place: number) => number,
): string {
  let isDown = false;
  return axes
    .flatMap((axis, at) => {
      const place = axis.places[run];
      if (place === null || place === undefined) {
        isDown = false;
        return [];
      }
      const command = isDown ? 'L' : 'M';
      isDown = true;
      return `${command}${xOf(at).toFixed(1)} ${yOf(place).toFixed(1)}`;
    })
    .join(' ');
}

const short = (label: string, most: number): string =>
  label.length > most ? `${label.slice(0, most - 1)}…` : label;
