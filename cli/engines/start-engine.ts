import { EngineError, type EngineHandle } from './engine.js';
import { endOfLog, type ReadinessOptions, waitUntilReady } from './launch.js';
import { isRunning, type ProcessRef, stopProcess } from './process-ref.js';

const READY_MS = 90_000;
const ADOPT_MS = 5_000;
/** A port that was free may be taken before the engine has it: then it is tried once more on other ports. */
const ATTEMPTS = 2;

/** What a caller may ask of every engine. */
export interface StartOptions {
  readonly dataDir: string;
  /** Ports of the last time, kept when they are free. */
  readonly ports?: Readonly<Record<string, number>>;
  /** A process that an earlier supervisor left behind: adopted when it answers, stopped when it does not. */
  readonly previousProcess?: ProcessRef;
  /** Called as soon as the process exists, before it is ready. */
  readonly onSpawn?: (ref: ProcessRef, ports: Readonly<Record<string, number>>) => void;
}

export interface EngineSpec<P extends string> {
  readonly name: string;
  readonly title: string;
  readonly logFile: string;
  /** Where it writes to once it can, if not to `logFile`. */
  readonly serviceLog?: string;
  readonly signal: NodeJS.Signals;
  readonly graceMs: number;
  readonly choosePorts: (wanted: Readonly<Record<string, number>>) => Promise<Record<P, number>>;
  readonly launch: (ports: Readonly<Record<P, number>>) => Promise<ProcessRef>;
  /** Answers when ready and throws while not; it also makes what must exist, such as a bucket. */
  readonly probe: (ports: Readonly<Record<P, number>>) => Promise<void>;
  /** Removes what the engine leaves behind outside its folder. */
  readonly cleanUp?: (ports: Readonly<Record<P, number>>) => void;
}

/** Adopts the process of an earlier start or starts the engine, and comes back when its probe answers. */
export async function startEngine<P extends string>(
  spec: EngineSpec<P>,
  options: StartOptions,
): Promise<EngineHandle<P>> {
  const adopted = await adopt(spec, options);
  if (adopted !== null) return adopted;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startFresh(spec, options, attempt === 1 ? (options.ports ?? {}) : {});
    } catch (error) {
      if (error instanceof EngineError) throw error;
      if (attempt === ATTEMPTS) throw new EngineError((error as Error).message);
    }
  }
}

async function adopt<P extends string>(
  spec: EngineSpec<P>,
  options: StartOptions,
): Promise<EngineHandle<P> | null> {
  const { previousProcess } = options;
  if (previousProcess === undefined || !isRunning(previousProcess)) return null;
  const ports = (options.ports ?? {}) as Record<P, number>;
  try {
    await ready(spec, previousProcess, ports, { timeoutMs: ADOPT_MS, logFrom: 0 });
    return handleOf(spec, previousProcess, ports);
  } catch {
    await stopProcess(previousProcess, spec.signal, spec.graceMs);
    return null;
  }
}

async function startFresh<P extends string>(
  spec: EngineSpec<P>,
  options: StartOptions,
  wanted: Readonly<Record<string, number>>,
): Promise<EngineHandle<P>> {
  const ports = await spec.choosePorts(wanted);
  const logFrom = endOfLog(spec.logFile);
  const { serviceLog: file } = spec;
  const serviceLog = file === undefined ? undefined : { file, from: endOfLog(file) };
  const ref = await spec.launch(ports);
  options.onSpawn?.(ref, ports);
  const handle = handleOf(spec, ref, ports);
  try {
    await ready(spec, ref, ports, { timeoutMs: READY_MS, logFrom, serviceLog });
    return handle;
  } catch (error) {
    await handle.stop();
    throw error;
  }
}

const ready = <P extends string>(
  spec: EngineSpec<P>,
  ref: ProcessRef,
  ports: Readonly<Record<P, number>>,
  patience: Pick<ReadinessOptions, 'timeoutMs' | 'logFrom' | 'serviceLog'>,
) =>
  waitUntilReady({
    name: spec.title,
    ref,
    logFile: spec.logFile,
    ...patience,
    probe: () => spec.probe(ports),
  });

const handleOf = <P extends string>(
  spec: EngineSpec<P>,
  ref: ProcessRef,
  ports: Readonly<Record<P, number>>,
): EngineHandle<P> => ({
  pid: ref.pid,
  startTime: ref.startTime,
  name: spec.name,
  ports,
  stop: async () => {
    await stopProcess(ref, spec.signal, spec.graceMs);
    spec.cleanUp?.(ports);
  },
});
