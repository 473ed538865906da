import { describe, expect, it } from '@jest/globals';
import {
  assertCancelable,
  assertDeletable,
  assertTransition,
  checkManifestFile,
  compareCopy,
  isActive,
  outcomeMessage,
  refusalOf,
  shownPath,
} from '../../../models/sources/sync/dataset-sync.rules.js';
import { SYNC_STATUSES } from '../../../models/sources/sync/dataset-sync.types.js';

const sha256 = 'a'.repeat(64);

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
    expect(steps).toEqual([
      'queued running',
      'queued failed',
      'queued canceled',
      'running done',
      'running failed',
      'running canceled',
    ]);
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
    const { file } = checkManifestFile({ path: 'a/Ku\u0308che.png', sizeBytes: 3, sha256 });
    expect(file).toMatchObject({ localPath: 'a/K\u00fcche.png', path: 'a/Ku\u0308che.png' });
  });

  it.each([
    '../etc/passwd',
    '/etc/passwd',
    'a\\b',
    'C:/x',
    'a/../../b',
    'a//b.txt',
    './c.txt',
    'a/./b',
    'a/.',
    'a\u0000b',
    'folder/',
    '',
    `${'x'.repeat(300)}/y`,
  ])('is refused for the name %j', (path) => {
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

describe('a manifest', () => {
  it('that is empty is refused where it would remove every file', () => {
    expect(refusalOf({ usable: 0, refused: 0, removed: 7 })).toMatch(/is empty.*7 files/);
    expect(refusalOf({ usable: 0, refused: 0, removed: 0 })).toBeNull();
  });
  it('of which no entry can be taken is refused for that, and one of which any can be is not', () => {
    expect(refusalOf({ usable: 0, refused: 3, removed: 7 })).toMatch(/^None of the 3 entries/);
    expect(refusalOf({ usable: 0, refused: 1, removed: 0 })).toMatch(/^The one entry of the manifest cannot/);
    expect(refusalOf({ usable: 1, refused: 3, removed: 7 })).toBeNull();
  });
});

it('says in one line how a sync went', () => {
  const nothing = { copied: 0, removed: 0, failed: 0, kept: 0 };
  expect(outcomeMessage(nothing)).toMatch(/Nothing to do/);
  expect(outcomeMessage({ ...nothing, copied: 1 })).toBe('1 file copied.');
  expect(outcomeMessage({ ...nothing, kept: 1 })).toBe('0 files copied, 1 kept as it is here.');
  expect(outcomeMessage({ copied: 5, removed: 2, failed: 1, kept: 3 })).toBe(
    '5 files copied, 2 removed, 1 could not be taken, 3 kept as they are here.',
  );
});
