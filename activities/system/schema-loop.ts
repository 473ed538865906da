import { type BackgroundLoop, pause } from '../support/background.js';

const EVERY_MS = 5000;

/** A worker whose schema was taken away ends: the one that is started in its place waits until it fits. */
export const createSchemaLoop = (
  schema: { readonly problem: string | null },
  onLost: () => void,
): BackgroundLoop => ({
  name: 'schema',
  run: async (signal) => {
    while (!signal.aborted) {
      await pause(EVERY_MS, signal);
      if (schema.problem !== null) onLost();
    }
  },
});
