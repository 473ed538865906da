import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const platform = process.env.VISIONOPS_URL ?? 'http://127.0.0.1:8080';

/** What several pages use, in a few files of some size: a page of sixty small ones comes slowly. */
const SHARED = {
  name: 'shared',
  minShareCount: 2,
  entriesAware: true,
  entriesAwareMergeThreshold: 30_000,
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // Data addresses of small files would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    // Words that are put together of others (`...part`) go with the page that shows them.
    rolldownOptions: {
      treeshake: { propertyReadSideEffects: false },
      output: { codeSplitting: { groups: [SHARED] } },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/auth', '/users', '/sample', '/docs', '/openapi.json'].map((path) => [path, platform]),
    ),
  },
});
