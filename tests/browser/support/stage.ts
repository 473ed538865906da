import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SourceServer } from '../../fakes/source-server/source-server.js';
import { PlatformClient } from '../../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../../setup/supervised-platform.js';
import { makeThings, type Things } from './things.js';

/** What the test files of the lane find: one platform with its sample, and a thing of each kind. */
export interface Stage {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly things: Things;
}

const VARIABLE = 'BROWSER_STAGE';

let opened: { readonly platform: SupervisedPlatform; readonly source: SourceServer } | null = null;

/** Starts the platform from an empty data directory, once for the lane. */
export async function openStage(): Promise<void> {
  if (process.env[VARIABLE] !== undefined) return;
  const source = await SourceServer.start({ token: 'a-secret' });
  source.add({ id: 'cats', name: 'Cats', files: 20 });
  const platform = await SupervisedPlatform.create(undefined, { SERVICE_OUTBOUND_ALLOW: '127.0.0.1' });
  opened = { platform, source };
  try {
    await platform.start();
    if ((await platform.run('sample')) !== 0) throw new Error(`no sample:\n${platform.output.slice(-4000)}`);
    const admin = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, 'demo');
    const things = await makeThings(admin, source.baseUrl);
    const stage: Stage = { baseUrl: platform.baseUrl, dataDir: platform.dataDir, things };
    process.env[VARIABLE] = JSON.stringify(stage);
  } catch (error) {
    await closeStage();
    throw error;
  }
}

export async function closeStage(): Promise<void> {
  await opened?.platform.destroy();
  await opened?.source.close();
  opened = null;
}

export const stage = (): Stage => JSON.parse(process.env[VARIABLE] ?? '') as Stage;

/** The process that is the API at the moment. */
export const apiPid = (): number => {
  const file = join(stage().dataDir, 'supervisor.json');
  const { children } = JSON.parse(readFileSync(file, 'utf8')) as { children: { api: { pid: number } } };
  return children.api.pid;
};

/** The administrator by the API, in the tenant of the sample. */
export const administrator = (): Promise<PlatformClient> =>
  PlatformClient.signIn(stage().baseUrl, ADMIN.email, ADMIN.password, 'demo');
