import type { Locator, Page } from 'playwright-core';

/** Drags files and folders of this machine onto a place of the page and lets them go, as a hand with a mouse does. */
export async function dragOnto(page: Page, place: Locator, paths: readonly string[]): Promise<void> {
  const box = await restingPlace(page, place);
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
  await session.detach();
}

const LOOK_MS = 150;

/** Where it is once nothing moves it any more. */
async function restingPlace(page: Page, place: Locator) {
  await place.scrollIntoViewIfNeeded();
  for (let before = await place.boundingBox(); ; ) {
    await page.waitForTimeout(LOOK_MS);
    const box = await place.boundingBox();
    if (box === null) throw new Error('nothing can be dropped on what is not shown');
    if (before?.x === box.x && before.y === box.y) return box;
    before = box;
  }
}
