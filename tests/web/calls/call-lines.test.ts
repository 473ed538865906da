import { describe, expect, it } from '@jest/globals';
import { curlLine, pythonLines } from '../../../web/src/shared/call-lines';

const ORIGIN = 'http://localhost:8000';

describe('the lines of a call', () => {
  it('leave out what is not asked for, and quote what a shell would read', () => {
    const call = { path: '/api/v1/models', query: { q: "it's", page: 1, sort: undefined, order: '' } };
    expect(curlLine(call, null, ORIGIN)).toBe(
      `curl -s '${ORIGIN}/api/v1/models?q=it%27s&page=1' -H "Authorization: Bearer $TOKEN"`,
    );
    const post = { method: 'POST', path: '/x', body: { name: "it's" } };
    expect(curlLine(post, 'demo', ORIGIN)).toContain(`-d '{"name":"it'\\''s"}'`);
  });

  it('are Python too, with its words for true, false and nothing', () => {
    const body = { name: 'a "b"', on: true, off: false, none: null, left: undefined, list: [1, { x: 0.5 }] };
    expect(pythonLines({ method: 'POST', path: '/x', body }, 'demo', ORIGIN).split('\n')).toEqual([
      'import os',
      'import requests',
      '',
      'answer = requests.post(',
      `    "${ORIGIN}/x",`,
      `    headers={"Authorization": f"Bearer {os.environ['TOKEN']}", "X-Tenant": "demo"},`,
      '    json={"name": "a \\"b\\"", "on": True, "off": False, "none": None, "list": [1, {"x": 0.5}]},',
      ')',
      'answer.raise_for_status()',
      'print(answer.json())',
    ]);
  });
});
