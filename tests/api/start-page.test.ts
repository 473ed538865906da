import { describe, expect, it } from '@jest/globals';
import { startTestApi } from './support/test-api.js';

describe('the start page', () => {
  it('is one file with links, and shows the sample only when there is one', async () => {
    const { mkdirSync, mkdtempSync, rmSync, writeFileSync } = await import('node:fs');
    const dir = mkdtempSync('/tmp/visionops-home-');
    const api = await startTestApi({ SERVICE_DATA_DIR: dir, TEMPORAL_UI_URL: 'http://127.0.0.1:8233' });
    try {
      const empty = await api.call('GET', '/');
      expect([empty.status, empty.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(empty.text).toContain('href="/docs"');
      expect(empty.text).toContain('href="http://127.0.0.1:8233"');
      expect(empty.text).not.toContain('confusion');
      expect((await api.call('GET', '/sample/confusion.svg')).status).toBe(404);
      mkdirSync(`${dir}/sample`, { recursive: true });
      writeFileSync(
        `${dir}/sample/result.json`,
        JSON.stringify({ accuracy: 0.9712, images: 360, picture: 'confusion-matrix.svg' }),
      );
      writeFileSync(`${dir}/sample/confusion-matrix.svg`, '<svg xmlns="http://www.w3.org/2000/svg"/>');
      expect((await api.call('GET', '/')).text).toContain('97.1 % of 360');
      const picture = await api.call('GET', '/sample/confusion.svg');
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      writeFileSync(
        `${dir}/sample/result.json`,
        JSON.stringify({ accuracy: 1, images: 1, picture: '../../etc/passwd' }),
      );
      expect((await api.call('GET', '/sample/confusion.svg')).status).toBe(404);
    } finally {
      await api.close();
      rmSync(dir, { recursive: true });
    }
  });
});
