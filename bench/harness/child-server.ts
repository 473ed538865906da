import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ChildServer {
  readonly pid: number;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts one of bench/servers as a process of its own, so that its CPU time is its alone.
 * @param env of the process; its own by default
 * @param name file name without extension; the file sends `{port}` when it listens
 */
export async function startChildServer(
  name: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
): Promise<ChildServer> {
  const file = fileURLToPath(new URL(`../servers/${name}.js`, import.meta.url));
  const child: ChildProcess = fork(file, args, { env: { NODE_ENV: 'production', ...env } });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${name} ended before it listened`);
  });
  const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
  ended.catch(() => undefined);
  return {
    pid: child.pid as number,
    baseUrl: `http://127.0.0.1:${port}`,
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
