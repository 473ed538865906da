import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const platform = process.env.VISIONOPS_URL ?? 'http://127.0.0.1:8080';

/**
 * Small things that most pages use come in one file: a page of sixty files of a kilobyte comes slowly. Parts of lists bring
 * fields and menus along, which the first page does without.
 */
const SMALL = {
  name: 'small',
  minShareCount: 12,
  maxModuleSize: 1500,
  test: /^(?!.*\/web\/src\/shared\/list\/)/,
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
      output: { codeSplitting: { groups: [SMALL] } },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/auth', '/users', '/sample', '/docs', '/openapi.json'].map((path) => [path, platform]),
    ),
  },
});
