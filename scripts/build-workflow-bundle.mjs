// Bundles the compiled workflows (dist/workflows/index.js) into dist/workflow-bundle.js, which workers and replay tests load as it is.
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const root = new URL('../', import.meta.url);
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('dist/workflows/index.js', root)),
  logger: new DefaultLogger('WARN'),
});
const target = new URL('dist/workflow-bundle.js', root);
await mkdir(new URL('dist/', root), { recursive: true });
const draft = new URL(`dist/workflow-bundle.${process.pid}.tmp`, root);
await writeFile(draft, code);
await rename(draft, target);
process.stdout.write(`dist/workflow-bundle.js ${(code.length / 1e6).toFixed(1)} MB\n`);
