// Pictures of every page of the console in both themes for the guides: `npm run screenshots`. Starts a platform of its own with its
// sample, opens each page of the lane `browser` and a few tabs, and writes docs/guide/images. Look at them before you commit them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OUT = join(ROOT, 'docs/guide/images');
const MOST_BYTES = 3_000_000;
/** Thumbnails, charts and drawings come after the page. */
const SETTLE_MS = 2500;

const bootstrap = join(ROOT, 'scripts/bootstrap.mjs');
if (spawnSync(process.execPath, [bootstrap, 'build'], { stdio: 'inherit' }).status !== 0) process.exit(1);
const load = (file) => import(new URL(`../../dist/tests/${file}`, import.meta.url).href);
const { openStage, closeStage, stage } = await load('browser/support/stage.js');
const { PAGES, addressOf } = await load('browser/support/pages.js');
const { launchChromium, Visitor } = await load('browser/support/visitor.js');
const { ADMIN } = await load('setup/supervised-platform.js');

/** Tabs that show what a page is about, beside the one that is open first. */
const TABS = {
  '/t/$tenant/datasets/$datasetId': ['validation', 'files', 'classes'],
  '/t/$tenant/training/$experimentId': ['metrics', 'log', 'config'],
  '/t/$tenant/models/$name': ['lineage'],
  '/t/$tenant/serving/$endpoint': ['log'],
  '/t/$tenant/edge/$deviceId': ['telemetry', 'policy'],
  '/account': ['tokens', 'sessions'],
};

await openStage();
const browser = await launchChromium();
try {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  // Boxes over pictures say more than digits alone.
  const things = { ...stage().things, datasetId: 'scenes-sample' };
  for (const theme of ['light', 'dark']) {
    const nobody = await Visitor.enter(browser, { theme });
    const administrator = await Visitor.enter(browser, { theme, as: ADMIN });
    for (const page of PAGES.filter(({ leadsTo }) => leadsTo === undefined)) {
      const visitor = page.who === 'nobody' ? nobody : administrator;
      const address = addressOf(page, things);
      await shoot(visitor, address, nameOf(page.route), theme);
      for (const tab of TABS[page.route] ?? [])
        await shoot(visitor, `${address}?tab=${tab}`, `${nameOf(page.route)}-${tab}`, theme);
    }
  }
} finally {
  await browser.close();
  await closeStage();
}
const bytes = readdirSync(OUT).reduce((sum, file) => sum + statSync(join(OUT, file)).size, 0);
console.log(`${readdirSync(OUT).length} pictures, ${(bytes / 1e6).toFixed(2)} MB`);
if (bytes > MOST_BYTES) throw new Error('the pictures are too large together');
process.exit(0);

async function shoot(visitor, address, name, theme) {
  await visitor.goto(address);
  await visitor.settled();
  await visitor.page.waitForTimeout(SETTLE_MS);
  const png = await visitor.page.screenshot();
  await sharp(png)
    .webp({ quality: 62, effort: 6 })
    .toFile(join(OUT, `${name}.${theme}.webp`));
}

/** `/t/$tenant/datasets/$datasetId` is `datasets-one`. */
function nameOf(route) {
  const words = route
    .replace(/^\/t\/\$tenant/, '')
    .split('/')
    .filter(Boolean);
  const plain = words.map((word) => (word.startsWith('$') ? 'one' : word));
  return plain.join('-') || 'home';
}
