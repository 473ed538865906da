import { describe, expect, it } from '@jest/globals';
import { isDigest, thingsOfDigest } from '../../../web/src/app/digest-things.js';
import { pages } from '../../../web/src/app/palette-entries.js';
import { trackedThings } from '../../../web/src/app/tracked-things.js';
import { type Entry, keyOf, matching, placeOf, settled } from '../../../web/src/app/palette-match.js';

const entry = (label: string): Entry => ({ label, group: 'Datasets', to: { to: `/${label}` } });

describe('the palette', () => {
  it('keeps of the things that are there those that still fit', () => {
    const things = ['digits', 'digits new', 'cats'].map(entry);
    expect(matching(things, 'DIG ne').map(({ label }) => label)).toEqual(['digits new']);
  });

  it('keeps its choice when others come before it', () => {
    const [one, two, three] = ['one', 'two', 'three'].map(entry) as [Entry, Entry, Entry];
    expect(placeOf([one, two], keyOf(two))).toBe(1);
    expect(placeOf([three, one, two], keyOf(two))).toBe(2);
    expect(placeOf([three], keyOf(two))).toBe(0);
    expect(placeOf([one, two], null)).toBe(0);
  });

  it('finds the experiments of the tracker by their place, and each run that the platform found', () => {
    const run = { status: 'FINISHED', started_at: null, finished_at: null, main_metric: null };
    const of = (id: string, name: string, ...runs: string[]) => ({
      ...{ id, name, run_count: 5000 },
      runs: runs.map((each) => ({ ...run, run_id: `id-of-${each}`, name: each })),
    });
    const projects = [{ name: 'reading', experiments: [of('1', 'digits'), of('2', 'letters', 'digits-7')] }];
    const { experiments, runs } = trackedThings(projects, 'demo', 'dig');
    expect(experiments).toMatchObject([{ label: 'reading/digits', to: { search: { q: 'reading/digits' } } }]);
    expect(runs).toMatchObject([
      { label: 'letters · digits-7', to: { params: { runId: 'id-of-digits-7' } } },
    ]);
  });

  it('finds by a digest the data and what was made from them, and no such thing by other words', async () => {
    const asked: unknown[] = [];
    const answers = {
      datasets: [{ id: 's', name: 'Scans' }],
      models: [{ name: 'digits' }],
      endpoints: [{ name: 'reads' }],
    };
    const GET = (path: string, { params }: { params: { query: object } }) => {
      asked.push([path, params.query]);
      const items = answers[path.split('/').at(-1) as keyof typeof answers] ?? [{ id: 'cam-1' }];
      return Promise.resolve({ data: { items }, response: new Response() });
    };
    const digest = 'ab'.repeat(32);
    const kinds = thingsOfDigest({ GET } as never, 'demo', digest, 5, new AbortController().signal);
    const found = (await settled(kinds)).kinds.flat();
    expect(found.map(({ label }) => label)).toEqual(['Scans', 'digits', 'reads', 'cam-1']);
    expect(asked).toContainEqual(['/api/v1/edge/fleet', { dataset_digest: digest, page_size: 5 }]);
    expect(asked).toContainEqual(['/api/v1/datasets', { digest, page_size: 5 }]);
    expect([digest, digest.slice(1), 'digits'].map(isDigest)).toEqual([true, false, false]);
  });

  it('shows the kinds that came, and names those that did not', async () => {
    const found = await settled([
      { group: 'Datasets', entries: Promise.reject(new Error('busy')) },
      { group: 'Models', entries: Promise.resolve([entry('digits')]) },
    ]);
    expect(found).toMatchObject({ kinds: [[entry('digits')]], failed: ['Datasets'] });
    expect(found.error).toEqual(new Error('busy'));
  });

  it('offers what the caller may use alone', () => {
    const labels = (isAdministrator: boolean, permissions: readonly string[]) =>
      pages('demo', { isAdministrator, may: (one) => permissions.includes(one) }).map(({ label }) => label);
    const viewer = labels(false, ['VIEW']);
    expect(viewer).toContain('Promotions');
    expect(viewer.filter((label) => /Health|Users|Tenants|Audit|New|Serve|Deploy a/.test(label))).toEqual([]);
    const administrator = labels(true, ['DATASET_WRITE', 'DEPLOY']);
    expect(administrator).toEqual(
      expect.arrayContaining([
        'Admin: Health',
        'Admin: Users',
        'Admin: Tenants',
        'New dataset',
        'Serve a model',
      ]),
    );
    expect(administrator).not.toContain('Train a model');
    const made = ['New tenant', 'Add somebody to the tenant', 'Admin: Deletions'];
    expect(administrator).toEqual(expect.arrayContaining(made));
    expect(viewer.filter((label) => made.includes(label))).toEqual([]);
    expect(viewer).toEqual(expect.arrayContaining(['Make an access token', 'Your account: Sign-ins']));
    expect(labels(false, ['DATASET_WRITE', 'DEVELOP'])).toEqual(
      expect.arrayContaining(['Add an external source', 'New experiment of the tracker']),
    );
  });

  it('distinguishes what leads to the same page, and what is done in place', () => {
    const all = pages('demo', { isAdministrator: true, may: () => true });
    const keys = [...all, { label: 'Sign out', group: 'Actions', run: () => undefined }].map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
