import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { storedHistories } from './support/histories.js';

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: 'OFF' as never, forward: {} } },
});

const dist = fileURLToPath(new URL('../../', import.meta.url));
const LOADED = ['workflows', 'core', 'models'];
const WORKFLOW = 'workflows/system/maintenance.workflow.js';
const FIRST_CALL = 'for (const name of await listMaintenanceTasks())';
const histories = storedHistories().filter(({ type }) => type === 'maintenance');

describe('a workflow that is changed while some of an earlier release run', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'visionops-altered-'));
    for (const folder of LOADED) cpSync(join(dist, folder), join(copy, folder), { recursive: true });
    writeFileSync(join(copy, 'package.json'), '{"type": "module"}');
    symlinkSync(join(dist, '../node_modules'), join(copy, 'node_modules'));
  });
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  /** Bundles the workflows with one more activity call at the beginning, and replays every stored history of the type. */
  const replaysWith = async (call: string): Promise<string[]> => {
    const file = join(copy, WORKFLOW);
    const code = readFileSync(file, 'utf8');
    expect(code).toContain(FIRST_CALL);
    const altered = code.replace(FIRST_CALL, `${call}\n    ${FIRST_CALL}`);
    writeFileSync(file, `import { patched } from '@temporalio/workflow';\n${altered}`);
    const workflowBundle = await bundleWorkflowCode({
      workflowsPath: join(copy, 'workflows/index.js'),
      logger: new DefaultLogger('ERROR'),
    });
    const outcomes: string[] = [];
    for (const { json } of histories)
      outcomes.push(
        await Worker.runReplayHistory({ workflowBundle }, json, 'replayed').then(
          () => 'replayed',
          (error: Error) => error.name,
        ),
      );
    return outcomes;
  };

  it('is refused by replay when it calls one activity more', async () => {
    expect(histories.length).toBeGreaterThan(0);
    expect(await replaysWith('await runMaintenanceTask("planted");')).toEqual(
      histories.map(() => 'DeterminismViolationError'),
    );
  });

  it('is replayed when the call stands behind patched()', async () => {
    expect(await replaysWith('if (patched("planted")) await runMaintenanceTask("planted");')).toEqual(
      histories.map(() => 'replayed'),
    );
  });
});
