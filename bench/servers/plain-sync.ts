import { createHash } from 'node:crypto';
import { Agent, request } from 'undici';
import { platformStore } from '../harness/platform-store.js';

/** What anybody would write: read the manifest, copy so many files at once, compare each hash. `plain-sync BASE_URL DATASET PARALLEL PREFIX` */
const [baseUrl, dataset, parallel, prefix] = process.argv.slice(2) as [string, string, string, string];
const objects = platformStore(process.env);
const agent = new Agent({ connections: Number(parallel) });
const get = async (path: string): Promise<Buffer> =>
  Buffer.from(
    await (await request(`${baseUrl}/datasets/${dataset}/${path}`, { dispatcher: agent })).body.arrayBuffer(),
  );

const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const { files } = JSON.parse((await get('manifest')).toString()) as {
  files: Array<{ path: string; sha256: string }>;
};
let next = 0;
const run = async () => {
  for (let file = files[next++]; file; file = files[next++]) {
    const bytes = await get(`files/${file.path}`);
    if (createHash('sha256').update(bytes).digest('hex') !== file.sha256)
      throw new Error(`${file.path} came with other bytes`);
    await objects.put(
      `${prefix}/${createHash('sha256').update(file.path).digest('hex')}`,
      bytes,
      bytes.length,
    );
  }
};
await Promise.all(Array.from({ length: Number(parallel) }, run));
const seconds = (performance.now() - startedAt) / 1000;
const cpu = process.cpuUsage(cpuBefore);
process.send?.({ files: files.length, seconds, cpuS: (cpu.user + cpu.system) / 1e6 });
process.disconnect?.();
await objects.close();
await agent.close();
