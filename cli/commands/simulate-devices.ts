import type { Arguments } from '../arguments.js';
import { EngineError } from '../engines/engine.js';
import { ApiError } from '../sample/api-client.js';
import { simulatedPlatform } from '../simulate/admin-access.js';
import { Fleet } from '../simulate/fleet.js';
import { FleetRegistry } from '../simulate/fleet-registry.js';
import { progressLine, summaryOf, summaryText } from '../simulate/report.js';
import { simulationOptions } from '../simulate/simulation-options.js';
import { NO_LEDGER, type SimulationOptions } from '../simulate/simulation.types.js';
import { listenForStop, type StopSignal } from '../supervisor/stop-signal.js';
import { Progress } from '../terminal/progress.js';

const TELL_EVERY_MS = 5_000;

/**
 * Devices that really call the platform, for load and demonstrations, until the time is over or Ctrl-C.
 * @returns 1 where an answer was not as promised, or a device lost its token
 */
export async function simulateDevices(args: Arguments): Promise<number> {
  const { url, access } = simulatedPlatform(args, process.env);
  const options = simulationOptions(args, url);
  const progress = new Progress(args.output === 'text' ? process.stdout : process.stderr);
  const stop = listenForStop(() => process.exit(130));
  const registry = new FleetRegistry(url, options.tenant, access, stop.signal);
  try {
    const fleet = await progress.step(`${options.count} devices of ${options.tenant} at ${url}`, (report) =>
      Fleet.register(options, registry, NO_LEDGER, (done) => report(done / options.count)),
    );
    const seconds = await live(fleet, options, stop, progress);
    if (args.switches.has('remove')) await progress.step('the devices are deleted', () => fleet.remove());
    const { figures } = fleet;
    console.log(
      args.output === 'text'
        ? summaryText(figures, options, seconds)
        : JSON.stringify(summaryOf(figures, options, seconds), null, 2),
    );
    return figures.breachCount + figures.refused === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof ApiError) throw new EngineError(error.message);
    if (stop.signal.aborted) throw new EngineError('The simulation was interrupted before it began.');
    throw error;
  } finally {
    stop.release();
  }
}

/** @returns how long it took, in seconds */
async function live(
  fleet: Fleet,
  { durationS }: SimulationOptions,
  stop: StopSignal,
  progress: Progress,
): Promise<number> {
  const { figures } = fleet;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const over = new AbortController();
  const end = () => over.abort();
  stop.signal.addEventListener('abort', end, { once: true });
  const timers = [
    setInterval(() => progress.say(progressLine(figures, seconds())), TELL_EVERY_MS),
    ...(durationS === null ? [] : [setTimeout(end, durationS * 1000)]),
  ];
  try {
    await fleet.run(over.signal);
    return seconds();
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}
