import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { PlatformClient } from '../setup/platform-client.js';
import { ADMIN } from '../setup/supervised-platform.js';
import { stage } from './support/stage.js';
import { launchChromium, Visitor } from './support/visitor.js';

jest.setTimeout(120_000);

type Box = readonly [x: number, y: number, width: number, height: number];

/** @param turned stored lying, to be shown 100 x 200 */
const picture = async (colour: string, turned = false): Promise<Buffer> => {
  const plain = sharp({ create: { width: 200, height: 100, channels: 3, background: colour } });
  return (turned ? plain.withMetadata({ orientation: 6 }) : plain).jpeg().toBuffer();
};
const coco = (file_name: string, name: string, bbox: Box, size: readonly [number, number]): Buffer => {
  const [x, y, width, height] = bbox;
  const segmentation = [[x, y, x + width, y, x + width, y + height]];
  return Buffer.from(
    JSON.stringify({
      images: [
        { id: 1, file_name: 'elsewhere.jpg' },
        { id: 2, file_name, width: size[0], height: size[1] },
      ],
      annotations: [{ id: 1, image_id: 2, category_id: 3, bbox, segmentation }],
      categories: [{ id: 3, name }],
    }),
  );
};

const VOC = `<annotation><filename>0002.jpg</filename><size><width>200</width><height>100</height><depth>3</depth></size>
  <object><name>fish</name><polygon><x1>20</x1><y1>10</y1><x2>60</x2><y2>10</y2><x3>60</x3><y3>40</y3></polygon>
  <bndbox><xmin>20</xmin><ymin>10</ymin><xmax>60</xmax><ymax>40</ymax></bndbox></object></annotation>`;
/** Corners of a box that stands on its point, in shares of the picture. */
const LOZENGE = '0 0.5 0.1 0.7 0.5 0.5 0.9 0.3 0.5';
const ALL = ['twins', 'turned', 'polygons', 'lozenges'];

/** What is drawn over pictures of datasets that follow each other in one page. */
describe('boxes over pictures', () => {
  let admin: PlatformClient;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;

  const dataset = async (id: string, files: Readonly<Record<string, Buffer>>) => {
    await admin.expect(201, 'POST', '/api/v1/datasets', { json: { id, name: id } });
    for (const [name, bytes] of Object.entries(files))
      await admin.expect(201, 'POST', `/api/v1/datasets/${id}/files`, { file: { name, bytes } });
  };

  beforeAll(async () => {
    // A tenant of its own: other tests look at the newest dataset of the first one.
    admin = await PlatformClient.signIn(stage().baseUrl, ADMIN.email, ADMIN.password, 'lab');
    await dataset('twins', {
      'images/train/0001.jpg': await picture('#336699'),
      'images/val/0001.jpg': await picture('#993366'),
      'annotations/instances_train.json': coco('0001.jpg', 'cat', [20, 10, 40, 30], [200, 100]),
      'annotations/instances_val.json': coco('0001.jpg', 'dog', [100, 50, 60, 20], [200, 100]),
    });
    await dataset('turned', {
      'turned.jpg': await picture('#669933', true),
      // The size as the picture is stored, not as it is shown.
      'turned.json': coco('turned.jpg', 'bird', [60, 60, 80, 30], [200, 100]),
    });
    await dataset('polygons', {
      'JPEGImages/0002.jpg': await picture('#996633'),
      'Annotations/0002.xml': Buffer.from(VOC),
    });
    await dataset('lozenges', {
      'images/train/0003.jpg': await picture('#339966'),
      'labels/train/0003.txt': Buffer.from(LOZENGE),
      'data.yaml': Buffer.from('names: [ship]\ntrain: images/train\nval: images/train\n'),
    });
    for (const id of ALL) await admin.until(`/api/v1/datasets/${id}`, ({ status }) => status === 'FROZEN');
    browser = await launchChromium();
    visitor = await Visitor.enter(browser, { as: ADMIN });
    page = visitor.page;
    await visitor.goto('/t/lab/datasets');
  });
  afterAll(async () => {
    for (const id of ALL) await admin?.call('DELETE', `/api/v1/datasets/${id}`);
    await browser?.close();
  });

  /** Goes there without loading the page again. */
  const open = async (name: string) => {
    await page
      .getByRole('navigation', { name: 'Menu' })
      .getByRole('link', { name: 'Datasets', exact: true })
      .click();
    await page.getByRole('link', { name, exact: true }).click();
  };
  const tile = (path: string) => page.getByRole('button', { name: `Open ${path}`, exact: true });
  /** The picture's size and its boxes, in its pixels. */
  const drawn = async (picture: Locator) => {
    const shapes = picture.locator('svg rect[stroke-width="2"]');
    await shapes.first().waitFor();
    const boxes = await Promise.all(
      (await shapes.all()).map(async (shape) =>
        Promise.all(
          ['x', 'y', 'width', 'height'].map(async (side) => Number(await shape.getAttribute(side))),
        ),
      ),
    );
    return { size: await picture.locator('svg:has(rect)').getAttribute('viewBox'), boxes };
  };

  it('are those of its own part, and stand where the annotation says', async () => {
    await open('twins');
    expect(await drawn(tile('images/train/0001.jpg'))).toEqual({
      size: '0 0 200 100',
      boxes: [[20, 10, 40, 30]],
    });
    expect((await drawn(tile('images/val/0001.jpg'))).boxes).toEqual([[100, 50, 60, 20]]);
    const shown = tile('images/val/0001.jpg');
    const [square, box] = await Promise.all(
      [shown.locator('img'), shown.locator('svg rect').first()].map((shape) => shape.boundingBox()),
    );
    if (!square || !box) throw new Error('the picture is not in sight');
    // Cut at both sides to fill a square; what is measured has the line around it.
    const scale = square.height / 100;
    const middle = [box.x - square.x + box.width / 2, box.y - square.y + box.height / 2];
    expect(middle.map((length) => Math.round(length / scale))).toEqual([80, 60]);
  });

  it('are turned with a picture whose file states the size as stored, without outlines', async () => {
    await open('turned');
    const turned = tile('turned.jpg');
    expect(await drawn(turned)).toEqual({ size: '0 0 100 200', boxes: [[10, 60, 30, 80]] });
    expect(await turned.locator('svg polygon').count()).toBe(0);
  });

  it('come again, with outlines, when one returns to a dataset after another', async () => {
    await open('twins');
    await tile('images/val/0001.jpg').click();
    const dialog = page.getByRole('dialog');
    expect((await drawn(dialog)).boxes).toEqual([[100, 50, 60, 20]]);
    expect(await dialog.locator('svg polygon').getAttribute('points')).toBe('100 50 160 50 160 70');
    await dialog.getByText('dog').waitFor();
    expect(await page.getByText('Boxes alone').count()).toBe(0);
    const row = dialog.getByRole('button', { name: /dog/ });
    const shape = await dialog.locator('svg rect').first().boundingBox();
    if (shape === null) throw new Error('the box is not in sight');
    await page.mouse.move(shape.x + shape.width / 2, shape.y + shape.height / 2);
    await dialog.locator('[data-pointed]').filter({ hasText: 'dog' }).waitFor();
    await page.mouse.move(shape.x - 10, shape.y - 10);
    await dialog.locator('[data-pointed]').waitFor({ state: 'detached' });
    await row.hover();
    await dialog.locator('[data-pointed]').waitFor();
    await page.keyboard.press('ArrowLeft');
    expect((await drawn(dialog)).boxes).toEqual([[20, 10, 40, 30]]);
    await page.keyboard.press('Escape');
    await open('turned');
    await drawn(tile('turned.jpg'));
    await open('twins');
    await tile('images/val/0001.jpg').locator('svg polygon').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  it('have the polygons of Pascal VOC, and stand as they are turned', async () => {
    await open('polygons');
    const fish = tile('JPEGImages/0002.jpg');
    // The first pixel of Pascal VOC is 1.
    expect((await drawn(fish)).boxes).toEqual([[19, 9, 41, 31]]);
    await fish.locator('svg polygon[points="20 10 60 10 60 40"]').waitFor();
    await open('lozenges');
    const ship = tile('images/train/0003.jpg');
    await ship.locator('svg polygon[points="100 10 140 50 100 90 60 50"]').first().waitFor();
    expect(await ship.locator('svg rect').count()).toBe(0);
    await open('twins');
  });

  it('say when outlines are left out, as those of a file that cannot be read are', async () => {
    await page.route('**/files/*/content?tenant=lab', (route) => route.abort());
    await page.reload();
    const shown = tile('images/val/0001.jpg');
    expect((await drawn(shown)).boxes).toEqual([[100, 50, 60, 20]]);
    await shown.click();
    await page.getByRole('dialog').getByText('Boxes alone').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
