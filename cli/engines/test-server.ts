import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EngineError } from './engine.js';
import { cacheDir, readEngineLock } from './engine-lock.js';
import { sha256Of } from './fetch-engine.js';

const run = promisify(execFile);

/** Either the wrapper to give to `TestWorkflowEnvironment.createTimeSkipping`, or the reason why there is none. */
export type TestServer =
  | { readonly path: string; readonly reason: null }
  | { readonly path: null; readonly reason: string };

/**
 * Temporal's time-skipping test server, which runs on Java 17+. Fetched once through Maven, every file checked
 * against its pin. Java and Maven are looked for in the PATH of `env`. Without Java or Maven the same workflows are tested on the development server with short durations.
 */
export async function ensureTestServer(env: NodeJS.ProcessEnv = process.env): Promise<TestServer> {
  const java = await javaMajor(env);
  if (java === null || java < 17)
    return { path: null, reason: 'time-skipping tests need a Java runtime 17 or newer' };
  const pin = readEngineLock()['temporal-test-server'];
  const folder = join(cacheDir(), 'engines', `temporal-test-server-${pin.version}`);
  const wrapper = join(folder, 'run.sh');
  if (existsSync(wrapper) && (await matchesPins(join(folder, 'jars'), pin.jars)))
    return { path: wrapper, reason: null };
  if (
    !(await run('mvn', ['--version'], { env }).then(
      () => true,
      () => false,
    ))
  )
    return { path: null, reason: 'time-skipping tests need Maven to fetch the test server once' };
  await fetchJars(folder, pin);
  return { path: wrapper, reason: null };
}

async function javaMajor(env: NodeJS.ProcessEnv): Promise<number | null> {
  try {
    const { stderr } = await run('java', ['-version'], { env });
    return Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  } catch {
    return null;
  }
}

async function matchesPins(folder: string, pins: Readonly<Record<string, string>>): Promise<boolean> {
  const files = existsSync(folder) ? await readdir(folder) : [];
  if (files.length !== Object.keys(pins).length) return false;
  for (const file of files) if ((await sha256Of(join(folder, file))) !== pins[file]) return false;
  return true;
}

async function fetchJars(
  folder: string,
  pin: { version: string; coordinates: string; jars: Readonly<Record<string, string>> },
): Promise<void> {
  await mkdir(join(folder, '..'), { recursive: true });
  const work = await mkdtemp(join(folder, '..', '.fetch-'));
  try {
    await writeFile(join(work, 'pom.xml'), pomFor(pin.coordinates, pin.version));
    const args = [
      '-q',
      '-B',
      '-f',
      join(work, 'pom.xml'),
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${join(work, 'jars')}`,
    ];
    await run('mvn', args, { timeout: 600_000 }).catch(() => {
      throw new EngineError(
        `${pin.coordinates} ${pin.version} could not be fetched by Maven: check the network.`,
      );
    });
    if (!(await matchesPins(join(work, 'jars'), pin.jars)))
      throw new EngineError(`${pin.coordinates} ${pin.version} differs from its pins: it was not installed.`);
    await rm(join(work, 'pom.xml'));
    await writeFile(
      join(work, 'run.sh'),
      `#!/bin/sh\nexec java -XX:TieredStopAtLevel=1 -Xmx256m -cp '${join(folder, 'jars')}/*' io.temporal.testserver.TestServer "$1"\n`,
      {
        mode: 0o755,
      },
    );
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function pomFor(coordinates: string, version: string): string {
  const [group, artifact] = coordinates.split(':');
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>visionops</groupId><artifactId>test-server</artifactId><version>1</version>
<dependencies><dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency></dependencies></project>
`;
}
