import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureRuntimeVenv } from '../../adapters/process/runtime-environment.js';
import { defaultCacheDir } from '../../adapters/process/workload-dirs.js';
import { DOCKER } from '../adapters/process/process-kit.js';

const run = promisify(execFile);
const AGENT = fileURLToPath(new URL('../../../clients/device-agent', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../../tests/learning/device_agent.py', import.meta.url));
/** Names of the pictures of the program that cannot be read. */
const UNREAD = ['float', 'none'];

interface Detection {
  readonly label: string;
  readonly score: number;
  readonly box: readonly number[];
  readonly keypoints?: ReadonlyArray<readonly number[]>;
}
interface Answer {
  readonly scores?: Readonly<Record<string, number>>;
  readonly detections?: readonly Detection[];
  readonly refused?: string;
}
interface Both {
  readonly device: Answer;
  readonly endpoint: Answer;
  /** How many masks both have, and by what share of their pixels two differ at most. */
  readonly masks: number;
  readonly apart: number;
}

/** All numbers of an answer in order, and all else. */
function numbersOf({ scores = {}, detections = [] }: Answer): number[] {
  const found = detections.flatMap(({ score, box, keypoints = [] }) => [score, ...box, ...keypoints.flat()]);
  return [...Object.values(scores), ...found];
}
const wordsOf = ({ scores = {}, detections = [], refused }: Answer) => ({
  ...{ refused, scores: Object.keys(scores), labels: detections.map(({ label }) => label) },
});

/** Installed as the guide says, where the packages of its models and those that build it are those of the runtime's environment. */
describe('the agent of devices', () => {
  const home = mkdtempSync(join(tmpdir(), 'visionops-agent-'));
  const bin = join(home, 'venv/bin');
  const options = { runtimesDir: join(DOCKER, 'runtimes'), cacheDir: defaultCacheDir() };
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const { python } = await ensureRuntimeVenv({ ...options, runtime: 'torchvision' });
    const asked = 'import sysconfig; print(sysconfig.get_path("purelib"))';
    const packages = (await run(python, ['-c', asked])).stdout.trim();
    env = { PATH: process.env.PATH, PYTHONPATH: packages, PYTHONWARNINGS: 'ignore' };
    const base = (await run(python, ['-c', 'import sys; print(sys.base_prefix)'])).stdout.trim();
    await run(join(base, 'bin/python3'), ['-m', 'venv', join(home, 'venv')]);
    // A copy: building leaves files beside the sources.
    cpSync(AGENT, join(home, 'agent'), { recursive: true });
    const offline = ['--no-deps', '--no-index', '--no-build-isolation', '--disable-pip-version-check'];
    await run(join(bin, 'python'), ['-m', 'pip', 'install', ...offline, join(home, 'agent')], { env });
  }, 600_000);
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('is installed as a program', async () => {
    const { stdout } = await run(join(bin, 'visionops-device'), ['--help'], { env, cwd: home });
    expect(stdout).toContain('VISIONOPS_DEVICE_TOKEN');
    const started = run(join(bin, 'visionops-device'), [], { env, cwd: home });
    await expect(started).rejects.toMatchObject({ stderr: expect.stringContaining('VISIONOPS_URL must be') });
  }, 60_000);

  it('answers with exported networks what endpoints answer, or refuses them', async () => {
    const folders = [join(DOCKER, 'contract'), join(DOCKER, 'runtimes/torchvision')];
    const { stdout } = await run(join(bin, 'python'), [PROGRAM, ...folders], {
      ...{ env, cwd: dirname(PROGRAM), maxBuffer: 2 ** 26 },
    });
    const said: { answers: Record<string, Record<string, Both>>; turned_boxes: string } = JSON.parse(stdout);
    for (const [task, answers] of Object.entries(said.answers))
      for (const [name, both] of Object.entries(answers)) expectAlike(task, name, both);
    expect(said.turned_boxes).toContain('does not read the outputs boxes, labels, scores, corners');
  }, 600_000);

  function expectAlike(task: string, name: string, { device, endpoint, masks, apart }: Both): void {
    expect({ task, name, ...wordsOf(device) }).toEqual({ task, name, ...wordsOf(endpoint) });
    const [mine, its] = [numbersOf(device), numbersOf(endpoint)];
    expect(mine).toHaveLength(its.length);
    // Two numbers differ by no more than the network and its export may.
    for (const [place, value] of mine.entries())
      expect(Math.abs(value - (its[place] as number))).toBeLessThan(0.03);
    if (UNREAD.includes(name)) expect(device.refused).toBeTruthy();
    else expect(its.length).toBeGreaterThan(0);
    const hasMasks = task.endsWith('segmentation');
    expect(masks).toBe(hasMasks ? (endpoint.detections ?? []).length : 0);
    expect(apart).toBeLessThan(0.01);
  }
});
