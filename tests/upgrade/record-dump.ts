import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { SourceServer } from '../fakes/source-server/source-server.js';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN, SupervisedPlatform } from '../setup/supervised-platform.js';
import { DUMPS } from './dumps.js';
import { dumpRows } from './row-dump.js';
import { TENANT, WorkUnderWay } from './work-under-way.js';

/** Records the rows of a platform of a release at work: `node dist/tests/upgrade/record-dump.js VERSION FOLDER-OF-ITS-BUILD`. */
async function main(version: string, build: string): Promise<void> {
  const { version: built } = JSON.parse(readFileSync(`${build}/package.json`, 'utf8')) as { version: string };
  if (built !== version) throw new Error(`${build} is a build of ${built}`);
  const source = await SourceServer.start({ token: 'a-token-of-the-tests' });
  const platform = await SupervisedPlatform.create(build, { SERVICE_OUTBOUND_ALLOW: '127.0.0.0/8' });
  try {
    await platform.start();
    const client = await PlatformClient.signIn(platform.baseUrl, ADMIN.email, ADMIN.password, TENANT);
    const remote = source.add({ id: 'scans', files: 200 });
    await new WorkUnderWay(client, source, remote).begin();
    await platform.killServices();
    const owner = new pg.Client({ connectionString: platform.ownerUrl() });
    await owner.connect();
    mkdirSync(DUMPS, { recursive: true });
    writeFileSync(new URL(`${version}.sql`, DUMPS), await dumpRows(owner));
    await owner.end();
  } finally {
    await platform.destroy();
    await source.close();
  }
}

const [version = '', build = ''] = process.argv.slice(2);
main(version, build).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  },
);
