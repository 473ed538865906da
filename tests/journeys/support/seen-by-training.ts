import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { SupervisedPlatform } from '../../setup/supervised-platform.js';

const run = promisify(execFile);

/** Tries each path, and tells those that it could read. */
const READER =
  'import sys\nfor path in sys.argv[1:]:\n    try:\n        open(path, "rb").read(1)\n        print(path)\n    except OSError:\n        pass';

/** What a process of the training's user, with the training's environment, gets hold of. Empty when all is well. */
export async function leaksTo(pid: number, platform: SupervisedPlatform): Promise<string[]> {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
  const found = secretsOf(platform)
    .filter((secret) => environment.includes(secret))
    .map(() => 'a secret in its environment');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  if (/^NoNewPrivs:\s+0$/m.test(status)) found.push('the way to more privileges');
  const uid = Number(/^Uid:\s+(\d+)/m.exec(status)?.[1]);
  if (uid !== process.getuid?.()) found.push(...(await readableBy(uid, pid, platform)));
  return [...found, ...(await withoutPassword(platform))];
}

async function readableBy(uid: number, pid: number, platform: SupervisedPlatform): Promise<string[]> {
  const { pids } = platform.facts() as NonNullable<ReturnType<SupervisedPlatform['facts']>>;
  const files = ['secrets.json', 'platform.json', 'supervisor.json', 'logs/api.log', 'logs/worker.log'].map(
    (name) => join(platform.dataDir, name),
  );
  const memory = [pids.api, pids.worker, pids.postgres, pids.supervisor].flatMap((other) => [
    `/proc/${other}/environ`,
    `/proc/${other}/mem`,
  ]);
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
async function withoutPassword(platform: SupervisedPlatform): Promise<string[]> {
  const port = Number(new URL(platform.ownerUrl()).port);
  const users = [
    'visionops_app',
    'visionops_platform',
    'visionops_ingest',
    new URL(platform.ownerUrl()).username,
  ];
  const tried = await Promise.allSettled(
    users.map(async (user) => {
      const client = new pg.Client({ host: '127.0.0.1', port, user, password: '', database: 'visionops' });
      await client.connect();
      await client.end();
      return user;
    }),
  );
  return tried.flatMap((result) =>
    result.status === 'fulfilled' ? [`the database as ${result.value}`] : [],
  );
}

const secretsOf = (platform: SupervisedPlatform): string[] => {
  const { database, s3, secretKeys, webhookToken } = platform.secrets();
  return [...Object.values(database), s3.secretKey, s3.internalKey, secretKeys, webhookToken];
};
