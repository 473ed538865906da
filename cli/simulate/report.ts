import type { Figures } from './figures.js';
import type { SimulationOptions } from './simulation.types.js';

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const milliseconds = (value: number): number => Math.round(value * 10) / 10;

/** Pure: one line that says how it goes. @param seconds since the beginning */
export function progressLine(figures: Figures, seconds: number): string {
  const { records, requests, retries, breachCount, active } = figures;
  const parts = [
    `${whole(seconds)} s`,
    `${whole(active)} active`,
    `${whole(requests)} requests (${whole(requests / Math.max(1, seconds))} a second)`,
    `${whole(records.telemetry + records.inference)} records acknowledged`,
    `${whole(figures.commands)} commands`,
    `${whole(retries)} retries`,
    ...(breachCount > 0 ? [`${whole(breachCount)} BREACHES`] : []),
  ];
  return `  ${parts.join(', ')}`;
}

/** What a program reads of a simulation that has ended; times in milliseconds. */
export const summaryOf = (figures: Figures, options: SimulationOptions, seconds: number) => ({
  devices: options.count,
  seed: options.seed,
  seconds: Math.round(seconds),
  requests: figures.requests,
  records_acknowledged: figures.records,
  heartbeats_acknowledged: figures.heartbeats,
  commands_carried_out: figures.commands,
  deployments: figures.deployments,
  uploads: figures.uploads,
  downloads: figures.downloads,
  retries: figures.retries,
  devices_refused: figures.refused,
  errors: Object.fromEntries([...figures.errors].sort()),
  p50_ms: milliseconds(figures.percentile(0.5)),
  p99_ms: milliseconds(figures.percentile(0.99)),
  breaches: { count: figures.breachCount, first: figures.breaches },
});

/** The same for people. */
export function summaryText(figures: Figures, options: SimulationOptions, seconds: number): string {
  const summary = summaryOf(figures, options, seconds);
  const { telemetry, inference } = summary.records_acknowledged;
  const errors = Object.entries(summary.errors).map(([kind, count]) => `${whole(count)} times ${kind}`);
  const lines = [
    `${whole(summary.devices)} devices in ${whole(seconds)} s (seed ${summary.seed}): ${whole(summary.requests)} requests, half of them answered within ${summary.p50_ms} ms, 99 % within ${summary.p99_ms} ms`,
    `  acknowledged: ${whole(telemetry)} telemetry and ${whole(inference)} inference records, ${whole(summary.heartbeats_acknowledged)} heartbeats, ${whole(summary.uploads)} uploads`,
    `  commands: ${whole(summary.commands_carried_out)}, deployments: ${summary.deployments.succeeded} succeeded, ${summary.deployments.failed} failed; ${whole(summary.downloads.count)} downloads of together ${whole(summary.downloads.bytes / 1e6)} MB`,
    `  retries: ${whole(summary.retries)}; errors: ${errors.length === 0 ? 'none' : errors.join(', ')}`,
  ];
  if (summary.devices_refused > 0)
    lines.push(
      `  ${whole(summary.devices_refused)} devices ended: the platform does not take their tokens any more`,
    );
  if (figures.breachCount > 0) {
    lines.push(`NOT AS PROMISED: the platform broke its contract ${whole(figures.breachCount)} times:`);
    lines.push(...figures.breaches.map((text) => `  ${text}`));
  }
  return lines.join('\n');
}
