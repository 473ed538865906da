import { loadavg } from 'node:os';
import { isShort } from './harness/mode.js';
import type { BenchResult } from './harness/results.js';
import { writeResult } from './harness/results.js';
import { exitCodeOf, parseRunOptions } from './harness/run-options.js';

const BENCHMARKS: Readonly<Record<string, () => Promise<() => Promise<BenchResult>>>> = {
  limits: async () => (await import('./limits.bench.js')).limits,
  'route-position': async () => (await import('./route-position.bench.js')).routePosition,
  'at-rest': async () => (await import('./datasets/at-rest.bench.js')).atRest,
  'cold-start': async () => (await import('./cold-start.bench.js')).coldStart,
  'dataset-sync': async () => (await import('./dataset-sync.bench.js')).datasetSync,
  'dataset-list': async () => (await import('./datasets/list.bench.js')).datasetList,
  'dataset-sample': async () => (await import('./datasets/sample.bench.js')).datasetSample,
  'dataset-transfer': async () => (await import('./datasets/transfer.bench.js')).datasetTransfer,
  'auth-overhead': async () => (await import('./auth-overhead.bench.js')).authOverhead,
  'sign-ins': async () => (await import('./sign-ins.bench.js')).signIns,
  'sign-in-flood': async () => (await import('./sign-in-flood.bench.js')).signInFlood,
  'audit-trail': async () => (await import('./audit-trail.bench.js')).auditTrail,
  'telemetry-writes': async () => (await import('./telemetry-writes.bench.js')).telemetryWrites,
  'edge-batches': async () => (await import('./edge/batches.bench.js')).edgeBatches,
  'edge-heartbeats': async () => (await import('./edge/heartbeats.bench.js')).edgeHeartbeats,
  'edge-held-polls': async () => (await import('./edge/held-polls.bench.js')).edgeHeldPolls,
  'edge-streams': async () => (await import('./edge/streams.bench.js')).edgeStreams,
  'edge-deployment': async () => (await import('./edge/deployment.bench.js')).edgeDeployment,
  'edge-retention': async () => (await import('./edge/retention.bench.js')).edgeRetention,
  'tracker-writes': async () => (await import('./tracker/writes.bench.js')).trackerWrites,
  'tracker-reads': async () => (await import('./tracker/reads.bench.js')).trackerReads,
  'training-start': async () => (await import('./tracker/training-start.bench.js')).trainingStartTime,
  'training-log': async () => (await import('./logs/training-log.bench.js')).trainingLog,
  'idle-endpoints': async () => (await import('./idle-endpoints.bench.js')).idleEndpoints,
  console: async () => (await import('./console/console.bench.js')).consoleTimes,
  'http-full-stack': async () => (await import('./http-full-stack.bench.js')).httpFullStack,
};

const options = parseRunOptions(process.argv.slice(2), Object.keys(BENCHMARKS));
if (options === null) {
  console.error(
    `Usage: npm run bench -- [--short] [--strict=NAME,...] [NAME...], all without a name\nNames: ${Object.keys(BENCHMARKS).join(', ')}`,
  );
  process.exit(2);
}
const missed: Array<{ readonly name: string; readonly text: string }> = [];
const failed: string[] = [];
for (const [name, load] of Object.entries(BENCHMARKS)) {
  if (options.names.length > 0 && !options.names.includes(name)) continue;
  const before = loadavg();
  try {
    const result = await (await load())();
    console.log(`${name}: ${isShort ? 'short, not kept' : writeResult(name, result, before)}`);
    console.log(JSON.stringify(result.figures));
    for (const goal of result.goals) console.log(`  ${goal.met ? 'met   ' : 'MISSED'} ${goal.text}`);
    missed.push(...result.goals.filter((goal) => !goal.met).map(({ text }) => ({ name, text })));
  } catch (error) {
    console.error(`${name} failed`, error);
    failed.push(name);
  }
}
const marked = ({ name, text }: (typeof missed)[number]) =>
  `  ${options.strict.includes(name) ? 'must hold: ' : ''}${name}: ${text}`;
console.log([`${missed.length} goals missed`, ...missed.map(marked)].join('\n'));
console.log(`${failed.length} benchmarks failed${failed.map((name) => `\n  ${name}`).join('')}`);
process.exit(exitCodeOf({ failed, missed: missed.map(({ name }) => name) }, options.strict));
