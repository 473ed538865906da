import fs, { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parseArguments } from '../../cli/arguments.js';
import { reset } from '../../cli/commands/reset.js';
import { StateFile } from '../../cli/supervisor/state.js';
import { BASELINE } from '../../models/migrations/baseline.js';

describe('reset', () => {
  let parent: string;
  let dataDir: string;
  let said: string[];
  beforeEach(() => {
    parent = fs.mkdtempSync(join(tmpdir(), 'visionops-reset-'));
    fs.chmodSync(parent, 0o755);
    dataDir = join(parent, 'data');
    for (const folder of ['postgres', 's3']) mkdirSync(join(dataDir, folder), { recursive: true });
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
    writeFileSync(join(dataDir, 'notes.txt'), 'not of the platform');
    said = [];
    jest.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    fs.rmSync(parent, { recursive: true, force: true });
  });

  const resetAll = (...flags: string[]) =>
    reset(parseArguments(['reset', '--yes', ...flags, '--data-dir', dataDir], parent));
  /** As it is stored: a version before the first release recorded no baseline. */
  const writeState = (state: object): void => {
    writeFileSync(join(dataDir, 'supervisor.json'), JSON.stringify(state));
  };
  const earlierState = (location: string) => ({
    supervisor: null,
    children: {},
    databaseLocation: location,
    administratorMade: true,
    stopping: true,
  });

  it.each([
    ['from before the first release', [], {}],
    ['of this version where it is asked to', ['--aside'], { baseline: BASELINE }],
  ])('moves data %s aside and says where, but nothing else', async (_which, flags, baseline) => {
    writeState({ ...earlierState(join(dataDir, 'postgres')), ...baseline });
    expect(await resetAll(...flags)).toBe(0);
    expect(readdirSync(dataDir)).toEqual(['notes.txt']);
    const aside = readdirSync(parent).filter((name) => name !== 'data');
    expect(aside).toEqual([expect.stringMatching(/^data-\d{8}T\d{6}Z$/)]);
    const place = join(parent, aside[0] as string);
    expect(readdirSync(place).sort()).toEqual(['postgres', 's3', 'supervisor.json']);
    expect(fs.readFileSync(join(place, 'postgres', 'PG_VERSION'), 'utf8')).toBe('18\n');
    expect(said.join('\n')).toContain(place);
  });

  it.each([
    [[], 'removes all data'],
    [['--aside'], 'moves all data'],
  ])('asks for --yes before it does anything: %j', async (flags, says) => {
    const words = parseArguments(['reset', ...flags, '--data-dir', dataDir], parent);
    await expect(reset(words)).rejects.toThrow(says);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(true);
  });

  it('moves a database that lies elsewhere aside where it is', async () => {
    const elsewhere = join(parent, 'elsewhere');
    mkdirSync(join(elsewhere, 'postgres'), { recursive: true });
    writeState(earlierState(join(elsewhere, 'postgres')));
    expect(await resetAll()).toBe(0);
    expect(existsSync(elsewhere)).toBe(false);
    const aside = readdirSync(parent).find((name) => name.startsWith(`${basename(elsewhere)}-`)) as string;
    expect(existsSync(join(parent, aside, 'postgres'))).toBe(true);
    expect(said.join('\n')).toContain(join(parent, aside));
  });

  it('removes the data of this version', async () => {
    writeState({ ...earlierState(join(dataDir, 'postgres')), baseline: BASELINE });
    expect(new StateFile(dataDir).current.baseline).toBe(BASELINE);
    expect(await resetAll()).toBe(0);
    expect(readdirSync(parent)).toEqual(['data']);
    expect(readdirSync(dataDir)).toEqual(['notes.txt']);
  });
});
