import { SourceServer } from '../../tests/fakes/source-server/source-server.js';

/** An external source with so many datasets of so many files of 8 to 24 KiB: `dataset-source DATASETS FILES`. */
const [datasets, files] = process.argv.slice(2).map(Number) as [number, number];
const source = await SourceServer.start();
for (let n = 0; n < datasets; n += 1)
  source.add({
    id: `d${n}`,
    files,
    pathOf: (file) => `c${file % 10}/${file}.bin`,
    sizeOf: (file) => 8192 + (file % 17) * 1024,
  });
process.send?.({ port: source.port });
