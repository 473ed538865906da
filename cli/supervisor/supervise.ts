import { existsSync } from 'node:fs';
import type { Arguments } from '../arguments.js';
import { dataDirFlags, hint } from '../terminal/hint.js';
import type { Progress } from '../terminal/progress.js';
import { type Administrator, opensAccount } from './administrator.js';
import { renderCard } from './card.js';
import { dataFiles, isInside } from './files.js';
import type { Guardian } from './guardian.js';
import type { Platform } from './platform.js';
import type { ChildName, StateFile } from './state.js';
import type { StopSignal } from './stop-signal.js';
import { settlePreviousProcesses } from './previous-processes.js';

const TITLES: Readonly<Record<ChildName, string>> = {
  postgres: 'PostgreSQL',
  temporal: 'Temporal',
  s3: 'object store',
  api: 'API',
  worker: 'worker',
};

/** A migration that takes longer is named, so that nobody takes the start for stuck. */
const SLOW_MIGRATION_MS = 2_000;

/** One `npm start`, with all that it works with. */
export interface Start {
  readonly args: Arguments;
  readonly dataDir: string;
  readonly production: boolean;
  readonly state: StateFile;
  readonly progress: Progress;
  readonly platform: Platform;
  readonly administrator: Administrator;
  readonly stop: StopSignal;
  readonly guardian: Guardian;
  /** What people use. */
  readonly baseUrl: string;
  /** The same API from this machine, whatever stands in front of it. */
  readonly localUrl: string;
}

/** Starts everything, guards it until it is asked to stop, and stops it in order. @returns the exit code */
export async function supervise(run: Start): Promise<number> {
  let failure: unknown = null;
  try {
    // A start that is asked to stop half-way is waited for: what it has begun must be known, to be stopped.
    await serve(run);
    await run.stop.stopped;
  } catch (error) {
    failure = error;
  }
  run.guardian.stop();
  run.platform.forgetFacts();
  run.progress.say(failure === null ? 'stopping' : 'stopping what was started');
  await run.platform.stop((name) => run.progress.say(`  ok  ${TITLES[name]} stopped`));
  run.stop.release();
  if (failure !== null && !run.stop.signal.aborted) throw failure;
  return 0;
}

async function serve(run: Start): Promise<void> {
  const startedAt = Date.now();
  await startAll(run);
  if (run.stop.signal.aborted) return;
  const signIn = await confirmAdministrator(run);
  run.platform.writeFacts();
  for (const name of run.platform.names) guard(run, name);
  run.progress.say(`  ok  ready after ${((Date.now() - startedAt) / 1000).toFixed(1)} s at ${run.baseUrl}`);
  if (signIn.password !== null)
    run.progress.say(`      sign in as ${run.administrator.email} with password ${signIn.password}`);
  // Only now: a start that is cut short before has shown the password to nobody.
  if (signIn.isSettled) run.state.update({ administratorMade: true });
  const sampleNote = await sample(run);
  if (!run.stop.signal.aborted) run.progress.say(card(run, signIn, sampleNote));
  else if (sampleNote !== null && !run.args.ephemeral) run.progress.say(`  ..  sample ${sampleNote}`);
}

async function startAll(run: Start): Promise<void> {
  const { platform, progress, state } = run;
  platform.forgetFacts();
  const previous = await settlePreviousProcesses(run.dataDir, state, platform.names, (text) =>
    progress.say(`  ..  ${text}`),
  );
  const begin = (name: ChildName) =>
    progress.step(TITLES[name], () => platform.start(name, previous.get(name)));
  const services: readonly ChildName[] = ['api', 'worker'];
  const engines = platform.names.filter((name) => !services.includes(name));
  // All are awaited even when one fails: what comes up later must be known, to be stopped.
  const results = await Promise.allSettled(
    engines.map((name) => (name === 'postgres' ? begin(name).then(() => migrate(run)) : begin(name))),
  );
  if (!engines.includes('postgres')) await migrate(run);
  throwFirst(results);
  if (run.stop.signal.aborted) return;
  throwFirst(await Promise.allSettled(platform.names.filter((name) => services.includes(name)).map(begin)));
}

function migrate({ platform, progress }: Start): Promise<void> {
  const say = (text: string) => progress.say(`  ..  database schema: ${text}`);
  return progress.step('database schema', () =>
    platform.migrate({
      applied: (name, place, of, ms) =>
        ms < SLOW_MIGRATION_MS ? undefined : say(`${name}, ${place} of ${of}`),
      waits: say,
    }),
  );
}

function throwFirst(results: ReadonlyArray<PromiseSettledResult<unknown>>): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** How the administrator signs in, as far as this start knows. */
interface SignIn {
  /** The password to be shown, null when there is none to show. */
  readonly password: string | null;
  /** Stands on the card in the password's place, or after it. */
  readonly note: string;
  /** False when a later start is to look again. */
  readonly isSettled: boolean;
}

async function confirmAdministrator(run: Start): Promise<SignIn> {
  const { administrator, state, production, stop } = run;
  const known = (note: string, isSettled: boolean): SignIn => ({ password: null, note, isSettled });
  if (production) return known('as set by your administrator', false);
  if (state.current.administratorMade)
    return known(`as before (a new one: ${hint('password', run.dataDir)})`, false);
  const password = administrator.generatedPassword;
  if (password === null) return known('as given in SERVICE_INIT_ADMIN_PASSWORD', true);
  const opens = await opensAccount(run.localUrl, administrator.email, password, stop.signal);
  if (opens === 'no')
    return known(
      `made by an earlier start that was cut short (a new one: ${hint('password', run.dataDir)})`,
      true,
    );
  return opens === 'yes'
    ? { password, note: 'shown only now: keep it', isSettled: true }
    : {
        password,
        note: `not tried: if it is refused, ${hint('password', run.dataDir)} sets another`,
        isSettled: false,
      };
}

/** Restarts the part when it dies. An engine that comes back on another port takes its users with it. */
function guard(run: Start, name: ChildName): void {
  const handle = run.platform.handle(name);
  if (handle === undefined) return;
  const restart = async () => {
    const before = JSON.stringify(run.platform.handle(name)?.ports);
    const next = await run.platform.start(name);
    const isEngine = name !== 'api' && name !== 'worker';
    if (isEngine && JSON.stringify(next.ports) !== before)
      for (const user of ['api', 'worker'] as const) void run.platform.handle(user)?.stop();
    run.platform.writeFacts();
    return next;
  };
  run.guardian.watch({ name: TITLES[name], restart }, handle);
}

/** The sample journey, once. Its failure leaves the platform up. @returns the card's line about it */
async function sample(run: Start): Promise<string | null> {
  if (!run.args.sample || run.production || existsSync(dataFiles(run.dataDir).sampleResult)) return null;
  try {
    const { runSample } = await import('../sample/run-sample.js');
    const result = await runSample({
      dataDir: run.dataDir,
      baseUrl: run.localUrl,
      adminEmail: run.administrator.email,
      progress: run.progress,
      signal: run.stop.signal,
    });
    return result.summary;
  } catch (error) {
    if (run.stop.signal.aborted) return 'interrupted: the next start goes on with it';
    return `not finished: ${(error as Error).message.split('\n')[0]}. To go on: ${hint('sample', run.dataDir)}`;
  }
}

function card(run: Start, signIn: SignIn, sampleNote: string | null): string {
  const ui = (run.platform.handle('temporal')?.ports as Record<string, number> | undefined)?.ui;
  const location = run.state.current.databaseLocation;
  return renderCard({
    baseUrl: run.baseUrl,
    temporalUi: ui === undefined ? null : `http://127.0.0.1:${ui}`,
    adminEmail: run.administrator.email,
    adminPassword: signIn.password,
    passwordNote: signIn.note,
    dataDir: run.dataDir,
    databaseElsewhere: location === null || isInside(run.dataDir, location) ? null : location,
    sampleNote,
    isShared: run.platform.isShared(),
    flags: dataDirFlags(run.dataDir),
    ephemeral: run.args.ephemeral,
  });
}
