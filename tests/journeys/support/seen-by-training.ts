import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { SupervisedPlatform } from '../../setup/supervised-platform.js';

const run = promisify(execFile);

/** Tries each path, and shows those that it could read. */
const READER =
  'import sys\nfor path in sys.argv[1:]:\n    try:\n        open(path, "rb").read(1)\n        print(path)\n    except OSError:\n        pass';

/** What an installation keeps from what it runs. */
export interface Hidden {
  readonly secrets: readonly string[];
  readonly files: readonly string[];
  /** Processes whose memory and environment nobody else may read. */
  readonly pids: ReadonlyArray<number | null>;
  /** The database as its owner. */
  readonly ownerUrl: string;
}

export function hiddenOf(platform: SupervisedPlatform): Hidden {
  const { database, s3, secretKeys, webhookToken } = platform.secrets();
  const { pids } = platform.facts() as NonNullable<ReturnType<SupervisedPlatform['facts']>>;
  return {
    secrets: [...Object.values(database), s3.secretKey, s3.internalKey, secretKeys, webhookToken],
    files: ['secrets.json', 'platform.json', 'supervisor.json', 'logs/api.log', 'logs/worker.log'].map(
      (name) => join(platform.dataDir, name),
    ),
    pids: [pids.api, pids.worker, pids.postgres, pids.supervisor],
    ownerUrl: platform.ownerUrl(),
  };
}

/** What a process of the training's user, with the training's environment, gets hold of. Empty when all is well. */
export async function leaksTo(pid: number, hidden: Hidden): Promise<string[]> {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
  const found = hidden.secrets
    .filter((secret) => environment.includes(secret))
    .map(() => 'a secret in its environment');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  if (/^NoNewPrivs:\s+0$/m.test(status)) found.push('the way to more privileges');
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
  if (uid !== process.getuid?.()) found.push(...(await readableBy(uid, pid, hidden)));
  return [...found, ...(await withoutPassword(hidden))];
}

async function readableBy(uid: number, pid: number, { files, pids }: Hidden): Promise<string[]> {
  const memory = pids.flatMap((other) => [`/proc/${other}/environ`, `/proc/${other}/mem`]);
  const python = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] as string;
  const libraries = /(?:^|\0)(LD_LIBRARY_PATH=[^\0]*)/
    .exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1]
    ?.slice('LD_LIBRARY_PATH='.length);
  const { stdout } = await run(python, ['-I', '-c', READER, ...files, ...memory], {
    uid,
    gid: uid,
    cwd: '/',
    env: libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries },
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((path) => `the file ${path}`);
}

/** The database is on the same machine; without a password nobody gets in. */
async function withoutPassword({ ownerUrl }: Hidden): Promise<string[]> {
  const { port, username, pathname } = new URL(ownerUrl);
  const users = ['visionops_app', 'visionops_platform', 'visionops_ingest', username];
  const tried = await Promise.allSettled(
    users.map(async (user) => {
      const database = pathname.slice(1);
      const client = new pg.Client({ host: '127.0.0.1', port: Number(port), user, password: '', database });
      try {
        await client.connect();
        return user;
      } finally {
        // The server waits a minute for the rest of a sign-in that is refused here, and nobody drops its database meanwhile.
        await client.end().catch(() => undefined);
      }
    }),
  );
  return tried.flatMap((result) =>
    result.status === 'fulfilled' ? [`the database as ${result.value}`] : [],
  );
}
