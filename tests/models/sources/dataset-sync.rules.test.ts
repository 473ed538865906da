import { describe, expect, it } from '@jest/globals';
import {
  assertCancelable,
  assertDeletable,
  assertNotEmptied,
  assertTransition,
  checkManifestFile,
  compareCopy,
  isActive,
  outcomeMessage,
  shownPath,
} from '../../../models/sources/dataset-sync.rules.js';
import { SYNC_STATUSES, type SyncPlan } from '../../../models/sources/dataset-sync.types.js';

const sha256 = 'a'.repeat(64);
const none = { files: 0, bytes: 0 };
const empty: SyncPlan = { add: none, change: none, remove: none, unchanged: none, keep: none };

describe('the states of a sync', () => {
  it('lead from queued over running to one of three ends, and from an end nowhere', () => {
    const steps = SYNC_STATUSES.flatMap((from) =>
      SYNC_STATUSES.filter((to) => {
        try {
          assertTransition(from, to);
          return true;
        } catch {
          return false;
        }
      }).map((to) => `${from} ${to}`),
    );
    expect(steps).toEqual(['queued running', 'queued failed', 'queued canceled', 'running done', 'running failed', 'running canceled']);
  });

  it('can be cancelled exactly while they are active, and deleted exactly when they are not', () => {
    for (const status of SYNC_STATUSES) {
      if (isActive(status)) {
        expect(() => assertCancelable(status)).not.toThrow();
        expect(() => assertDeletable(status)).toThrow(expect.objectContaining({ code: 'conflict' }));
      } else {
        expect(() => assertCancelable(status)).toThrow(expect.objectContaining({ code: 'conflict' }));
        expect(() => assertDeletable(status)).not.toThrow();
      }
    }
  });
});

describe('a line of a manifest', () => {
  it('becomes a file under a clean name, and remembers what the source calls it', () => {
    const { file } = checkManifestFile({ path: './a//Ku\u0308che.png', sizeBytes: 3, sha256 });
    expect(file).toMatchObject({ localPath: 'a/K\u00fcche.png', path: './a//Ku\u0308che.png' });
  });

  it.each(['../etc/passwd', '/etc/passwd', 'a\\b', 'C:/x', 'a/../../b', 'a\u0000b', 'folder/', '', `${'x'.repeat(300)}/y`])('is refused for the name %j', (path) => {
    const { file, problem } = checkManifestFile({ path, sizeBytes: 1, sha256 });
    expect(file).toBeNull();
    expect(problem).toMatchObject({ code: 'bad_path' });
  });

  it('is shown without control characters and not endlessly', () => {
    expect(shownPath(`a\u001b[31m\u202e${'x'.repeat(500)}`)).toMatch(/^a\uFFFD\[31m\uFFFDx+$/);
    expect(shownPath('x'.repeat(500))).toHaveLength(200);
  });
});

describe('a copy', () => {
  it.each([
    [{ sizeBytes: 3, sha256 }, null],
    [{ sizeBytes: 4, sha256 }, 'wrong_size'],
    [{ sizeBytes: 2, sha256 }, 'wrong_size'],
    [{ sizeBytes: 3, sha256: 'b'.repeat(64) }, 'wrong_sha256'],
  ])('of %j against what was promised says %s', (found, code) => {
    expect(compareCopy({ sizeBytes: 3, sha256 }, found)?.code ?? null).toBe(code);
  });
});

describe('an empty manifest', () => {
  it('is refused where it would remove every file', () => {
    expect(() => assertNotEmptied({ ...empty, remove: { files: 7, bytes: 9 } })).toThrow(/7 files/);
  });
  it('is nothing to be afraid of where there is nothing to lose, or something is left', () => {
    expect(() => assertNotEmptied(empty)).not.toThrow();
    expect(() => assertNotEmptied({ ...empty, remove: { files: 7, bytes: 9 }, unchanged: { files: 1, bytes: 1 } })).not.toThrow();
  });
});

it('says in one line how a sync went', () => {
  expect(outcomeMessage(0, 0, 0)).toMatch(/Nothing to do/);
  expect(outcomeMessage(1, 0, 0)).toBe('1 file copied.');
  expect(outcomeMessage(5, 2, 1)).toBe('5 files copied, 2 removed, 1 could not be taken.');
});
