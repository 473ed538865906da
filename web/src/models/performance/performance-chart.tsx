import { Box, Group, Text } from '@mantine/core';
import type { Schemas } from '../../api/client';
import { share } from '../../shared/numbers';
import { text } from '../../text';

type Point = Schemas['PerformancePointOut'];

const WIDTH = 600;
const HEIGHT = 140;
/** Place for the words of the scale. */
const SCALE = 54;
const COLOURS = ['var(--state-running)', 'var(--state-waiting)', 'var(--state-succeeded)'];

/** Share of right predictions over time, one line for each version; the table below it says the same. */
export function PerformanceChart({
  points,
  threshold,
}: {
  points: readonly Point[];
  threshold: number | null;
}) {
  const times = points.map((point) => Date.parse(point.at));
  const from = Math.min(...times);
  const span = Math.max(...times) - from || 1;
  const x = (at: string) => ((Date.parse(at) - from) / span) * WIDTH;
  const y = (value: number) => HEIGHT - value * HEIGHT;
  const versions = [...new Set(points.map((point) => point.version))];
  return (
    <Box>
      <Text fw={600} size="sm" mb={4}>
        {text.models.performance.chart}
      </Text>
      <svg
        viewBox={`${-SCALE} -8 ${WIDTH + SCALE + 8} ${HEIGHT + 16}`}
        style={{ display: 'block', width: '100%', maxWidth: WIDTH + SCALE }}
        fontSize={11}
        aria-hidden
      >
        {[0, 0.5, 1].map((value) => (
          <text key={value} x={-6} y={y(value) + 4} textAnchor="end" fill="var(--mantine-color-dimmed)">
            {share(value)}
          </text>
        ))}
        <rect width={WIDTH} height={HEIGHT} fill="none" stroke="var(--line)" />
        {threshold !== null && (
          <line
            x2={WIDTH}
            y1={y(threshold)}
            y2={y(threshold)}
            stroke="var(--state-failed)"
            strokeDasharray="4 4"
          />
        )}
        {versions.map((version, place) => {
          const own = points.filter((point) => point.version === version);
          const colour = COLOURS[place % COLOURS.length];
          return (
            <g key={version} stroke={colour} fill={colour}>
              <polyline
                fill="none"
                strokeWidth={1.5}
                points={own.map((point) => `${x(point.at)},${y(point.accuracy)}`).join(' ')}
              />
              {own.map((point) => (
                <circle key={point.at} cx={x(point.at)} cy={y(point.accuracy)} r={2} />
              ))}
            </g>
          );
        })}
      </svg>
      <Group gap="md">
        {versions.map((version, place) => (
          <Text key={version} size="sm" c={COLOURS[place % COLOURS.length]}>
            {text.models.version(version)}
          </Text>
        ))}
      </Group>
    </Box>
  );
}
