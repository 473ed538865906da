import { describe, expect, it } from '@jest/globals';
import { browserName } from '../../../web/src/people/account/browser-name.js';
import { tokenSnippets } from '../../../web/src/people/account/token-snippets.js';

describe('browserName', () => {
  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
      { browser: 'Chrome', system: 'Linux' },
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
      { browser: 'Edge', system: 'Windows' },
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
      { browser: 'Safari', system: 'macOS' },
    ],
    [
      'Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0',
      { browser: 'Firefox', system: 'Android' },
    ],
    ['curl/8.5.0', { browser: 'curl', system: null }],
    ['python-requests/2.32.3', { browser: 'python-requests', system: null }],
  ])('reads %s', (userAgent, name) => {
    expect(browserName(userAgent)).toEqual(name);
  });

  it('says when nothing is known', () => {
    for (const nothing of [null, '', '  ', '(;;)']) expect(browserName(nothing)).toBeNull();
  });
});

describe('tokenSnippets', () => {
  it('uses a token of the tracker by shell, Python and curl', () => {
    const snippets = tokenSnippets('tracker', 'vt_1', 'https://ml.example', 'ann@ml.example');
    expect(snippets.map(({ id }) => id)).toEqual(['shell', 'python', 'curl']);
    for (const { lines } of snippets) {
      expect(lines).toContain('https://ml.example/tracker');
      expect(lines).toContain('vt_1');
    }
  });

  it('uses a token of the registry by docker, at the host alone', () => {
    const [docker] = tokenSnippets('registry', 'vr_1', 'https://ml.example:8443', 'ann@ml.example');
    expect(docker?.lines).toBe(
      "printf %s 'vr_1' | docker login ml.example:8443 -u 'ann@ml.example' --password-stdin",
    );
  });
});
