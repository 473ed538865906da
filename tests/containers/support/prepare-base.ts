import { join } from 'node:path';
import { ensureBase } from './base-image.js';
import { ContainerTools } from './container-tools.js';
import { MachineRegistries } from './machine-registries.js';

/** Makes the base of the image where it is not kept from before. What it says last is why it could not. */
async function main(): Promise<void> {
  const tools = await ContainerTools.open();
  try {
    await ensureBase(tools, new MachineRegistries(join(tools.folder, 'registries')));
  } finally {
    tools.close();
  }
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
