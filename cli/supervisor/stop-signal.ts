/** A terminal, npm and a parent may each deliver the same Ctrl-C: what comes this soon after the first is the same. */
const SAME_MS = 700;

export interface StopSignal {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves with the first signal. */
  readonly stopped: Promise<NodeJS.Signals>;
  /** Gives the signals back to Node's own handling. */
  readonly release: () => void;
}

/** Ctrl-C, SIGTERM and SIGHUP ask to stop; a second one calls `kill`. */
export function listenForStop(kill: () => void): StopSignal {
  const controller = new AbortController();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let firstAt: number | null = null;
  let resolve: (signal: NodeJS.Signals) => void = () => undefined;
  const stopped = new Promise<NodeJS.Signals>((done) => {
    resolve = done;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt === null) {
      firstAt = Date.now();
      controller.abort();
      resolve(signal);
    } else if (Date.now() - firstAt > SAME_MS) kill();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    stopped,
    release: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
