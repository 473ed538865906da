import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { ADMIN } from '../setup/supervised-platform.js';
import { dragOnto } from './support/drag.js';
import { type Photographs, photographs } from './support/photographs.js';
import { administrator } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(120_000);

const MOST_INTERACTIONS = 4;
const WORK = { timeout: 90_000 };

/** What docs/guide/console.md promises: each task in few interactions from the start page, in this order. */
describe('everyday tasks', () => {
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;
  let photos: Photographs;
  let interactions: number;

  beforeAll(async () => {
    browser = await launchChromium();
    photos = await photographs('everyday');
    visitor = await Visitor.enter(browser, { as: ADMIN });
    page = visitor.page;
    // The start page lists what was changed last; other files of the lane leave datasets too.
    const client = await administrator();
    await client.expect(200, 'PATCH', '/api/v1/datasets/scenes-sample', {
      json: { description: 'Sixty scenes.' },
    });
  });
  afterAll(async () => {
    await browser?.close();
    if (photos !== undefined) rmSync(dirname(photos.folder), { recursive: true, force: true });
  });
  beforeEach(async () => {
    await visitor.goto('/t/demo');
    await visitor.settled();
    interactions = 0;
  });

  const click = (what: Locator) => {
    interactions += 1;
    return what.click();
  };
  const drop = (where: Locator, path: string) => {
    interactions += 1;
    return dragOnto(page, where, [path]);
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true });
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  const rail = (area: string) =>
    page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: area, exact: true });
  const main = () => page.locator('#main');
  const isAt = (path: RegExp) => page.waitForURL((url) => path.test(url.pathname), WORK);

  const TASKS: Readonly<Record<string, () => Promise<void>>> = {
    'Bring a folder of images in': async () => {
      await click(rail('Datasets'));
      await click(link('New dataset').first());
      await drop(page.getByRole('group', { name: /^Drop folders/ }), photos.folder);
      await page
        .getByText(/^80 files/)
        .first()
        .waitFor();
      await click(button('Create and upload'));
      await isAt(/\/datasets\/everyday$/);
      await page.locator('[data-state="FROZEN"]').first().waitFor(WORK);
    },
    'See what the validation found': async () => {
      await click(main().getByRole('link', { name: 'Digits in scenes' }).first());
      await click(tab('Validation'));
      await page
        .getByText(/COCO|coco/)
        .first()
        .waitFor();
    },
    'Look at the boxes of one class': async () => {
      await click(main().getByRole('link', { name: 'Digits in scenes' }).first());
      await click(page.getByRole('combobox', { name: 'Class' }));
      await click(page.getByRole('option', { name: 'seven' }));
      await click(page.getByRole('button', { name: /^Open .*scene-\d+\.jpg$/ }).first());
      await page.getByRole('dialog').getByText('seven').first().waitFor();
    },
    'Train on the newest dataset': async () => {
      await click(main().getByRole('link', { name: 'Train a model' }).first());
      await page.getByText('Ready to train.').waitFor(WORK);
      await click(button('Train'));
      await isAt(/\/training\/[0-9a-f-]{36}$/);
    },
    'Follow the log of a training': async () => {
      await click(main().getByRole('link', { name: 'digits-sample' }).first());
      await click(tab('Log'));
      await page.getByRole('log').getByText(/Epoch/).first().waitFor();
    },
    'Compare two trainings': async () => {
      await click(rail('Training'));
      const rows = page.getByRole('row').getByRole('checkbox', { name: /^Select (?!all)/ });
      await click(rows.nth(0));
      await click(rows.nth(1));
      await click(page.getByRole('toolbar').getByText('Compare'));
      await isAt(/\/training\/compare$/);
    },
    'Register the model of a training': async () => {
      await click(main().getByRole('link', { name: 'digits-sample' }).first());
      await click(button('Register the model'));
      await click(page.getByRole('dialog').getByRole('button', { name: 'Register the model' }));
      await link(/^digits v\d$/)
        .first()
        .waitFor();
    },
    'Serve the latest version of a model': async () => {
      await click(rail('Models'));
      await click(page.getByRole('row').filter({ hasText: 'digits' }).getByRole('link').last());
      await click(link('Serve'));
      await click(button('Create the endpoint'));
      await isAt(/\/serving\/(?!new)[\w-]+$/);
    },
    'Try a picture on an endpoint': async () => {
      await click(rail('Serving'));
      await click(main().getByRole('link', { name: 'digits', exact: true }).first());
      await drop(page.getByText('Drop a picture here'), photos.heldBack.flower);
      await page.getByRole('status').getByRole('table').waitFor(WORK);
    },
    'Find out who changed what': async () => {
      await click(rail('Admin'));
      await click(main().getByRole('link', { name: 'Audit' }));
      await page.getByText('model.register').first().waitFor();
    },
  };

  it('are those of the guide', () => {
    const guide = readFileSync('docs/guide/console.md', 'utf8');
    const listed = [...guide.matchAll(/^\d+\. \*\*(.+?)\*\*/gm)].map(([, task]) => task);
    expect(listed).toEqual(Object.keys(TASKS));
  });

  it.each(Object.entries(TASKS))('%s', async (_, task) => {
    await task();
    expect(interactions).toBeLessThanOrEqual(MOST_INTERACTIONS);
    expect(visitor.faults).toEqual([]);
  });
});
