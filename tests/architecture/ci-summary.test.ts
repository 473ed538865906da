import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

describe('the close of a CI run', () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'visionops-ci-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const report = (tests: ReadonlyArray<[status: string, fullName: string]>, broken = 0) => ({
    numPassedTests: tests.filter(([status]) => status === 'passed').length,
    numFailedTests: tests.filter(([status]) => status === 'failed').length,
    numRuntimeErrorTestSuites: broken,
    testResults: [{ assertionResults: tests.map(([status, fullName]) => ({ status, fullName })) }],
  });
  const close = (lanes: Readonly<Record<string, { code: number; report?: object }>>) => {
    for (const [name, lane] of Object.entries(lanes)) {
      writeFileSync(join(folder, `${name}.code`), `${lane.code}\n`);
      if (lane.report !== undefined) writeFileSync(join(folder, `${name}.json`), JSON.stringify(lane.report));
    }
    const { status, stdout } = spawnSync(process.execPath, ['.ci/summary.mjs', folder], { encoding: 'utf8' });
    return { status, lines: stdout.trim().split('\n') };
  };

  it('names what was skipped with its reason and counts it', () => {
    const tests = report([
      ['passed', 'one'],
      ['pending', 'two [skipped: no Java]'],
    ]);
    expect(close({ test: { code: 0, report: tests }, static: { code: 0 } })).toEqual({
      status: 0,
      lines: ['skipped in test: two [skipped: no Java]', '2 passed, 0 failed, 1 skipped'],
    });
  });

  it('counts failed tests, suites that do not load and lanes that end badly', () => {
    const failed = { code: 1, report: report([['failed', 'one']], 1) };
    expect(close({ test: failed, static: { code: 1 } })).toEqual({
      status: 1,
      lines: ['0 passed, 3 failed, 0 skipped'],
    });
    const ended = { code: 124, report: report([['passed', 'one']]) };
    expect(close({ test: ended, static: { code: 0 } })).toEqual({
      status: 1,
      lines: ['2 passed, 1 failed, 0 skipped'],
    });
  });

  it('counts what passed on the second try, and names it', () => {
    const first = report([
      ['passed', 'one'],
      ['failed', 'two'],
      ['failed', 'three'],
    ]);
    const again = (...tests: ReadonlyArray<[status: string, fullName: string]>) => {
      writeFileSync(join(folder, 'test.again'), tests.some(([status]) => status === 'failed') ? '1' : '0');
      writeFileSync(join(folder, 'test.again.json'), JSON.stringify(report(tests)));
      return close({ test: { code: 1, report: first } });
    };
    expect(again(['passed', 'two'], ['passed', 'three'])).toEqual({
      status: 0,
      lines: [
        'passed in test only on the second try: two',
        'passed in test only on the second try: three',
        '3 passed, 0 failed, 0 skipped',
      ],
    });
    expect(again(['passed', 'two'], ['failed', 'three'])).toEqual({
      status: 1,
      lines: ['passed in test only on the second try: two', '2 passed, 1 failed, 0 skipped'],
    });
  });

  it('names the files that failed, where they are few', () => {
    const files = (count: number) => {
      const testResults = Array.from({ length: count }, (_, at) => ({
        status: 'failed',
        name: `/t/${at}.js`,
      }));
      writeFileSync(
        join(folder, 'test.json'),
        JSON.stringify({ testResults: [...testResults, { status: 'passed', name: '/t/p.js' }] }),
      );
      return spawnSync(process.execPath, ['.ci/failed-files.mjs', join(folder, 'test.json')], {
        encoding: 'utf8',
      }).stdout.trim();
    };
    expect([files(2), files(6)]).toEqual(['/t/0.js /t/1.js', '']);
  });

  it('is no success when nothing ran', () => {
    expect(close({ test: { code: 0, report: report([]) } })).toEqual({
      status: 1,
      lines: ['0 passed, 0 failed, 0 skipped'],
    });
  });
});
