import type { Locator, Page } from 'playwright-core';

/** Drags files and folders of this machine onto a place of the page and lets them go, as a hand with a mouse does. */
export async function dragOnto(page: Page, place: Locator, paths: readonly string[]): Promise<void> {
  await place.scrollIntoViewIfNeeded();
  const box = await place.boundingBox();
  if (box === null) throw new Error('nothing can be dropped on what is not shown');
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
  await session.detach();
}
