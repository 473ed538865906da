import { describe, expect, it } from '@jest/globals';
import { argsOf, isCommandType } from '../../../web/src/edge/commands/command-form.js';
import { healthText, partsOf } from '../../../web/src/edge/fleet/health-parts.js';
import { loadOf } from '../../../web/src/edge/fleet/load.js';
import { deviceSnippets } from '../../../web/src/edge/token/device-snippets.js';
import { includedBy, isSameScopes, knownScopes } from '../../../web/src/edge/token/scope-list.js';
import { tokenEnd } from '../../../web/src/edge/token/token-end.js';

describe('loadOf', () => {
  it.each([
    [12.4, { percent: 12.4, shown: '12 %', level: 'calm' }],
    [75, { percent: 75, shown: '75 %', level: 'high' }],
    [97, { percent: 97, shown: '97 %', level: 'full' }],
    [340, { percent: 100, shown: '340 %', level: 'full' }],
    [-3, { percent: 0, shown: '-3 %', level: 'calm' }],
    [null, null],
  ] as const)('of %j is %j', (value, load) => expect(loadOf(value)).toEqual(load));
});

describe('the health of a fleet', () => {
  const wordOf = (count: number, status: string) => `${count} ${status}`;

  it('shows statuses that there are devices of', () => {
    const parts = partsOf({ ACTIVE: 8, STALE: 0, OFFLINE: 2 }, ['OFFLINE', 'ACTIVE', 'STALE']);
    expect(healthText(parts, wordOf, 'none')).toBe('2 OFFLINE, 8 ACTIVE');
  });

  it('says when there is none', () => {
    expect(healthText(partsOf({ ACTIVE: 0 }, ['ACTIVE']), wordOf, 'none')).toBe('none');
  });
});

describe('commands', () => {
  it.each([
    ['', {}],
    [' \n', {}],
    ['{"lines": 100}', { lines: 100 }],
    ['[1]', null],
    ['null', null],
    ['"restart"', null],
    ['{"lines": 100', null],
  ])('take the arguments %j as %j', (typed, args) => expect(argsOf(typed)).toEqual(args));

  it('know what a type looks like', () => {
    expect(isCommandType('collect-logs')).toBe(true);
    for (const bad of ['', '-x', 'two words', 'a'.repeat(65)]) expect(isCommandType(bad)).toBe(false);
  });
});

describe('tokens of devices', () => {
  it('say which scope holds another', () => {
    expect(includedBy('commands:read', ['models:read', 'telemetry:write'])).toBe('telemetry:write');
    expect(includedBy('commands:read', ['inference:write'])).toBeNull();
    expect(knownScopes(['of:tomorrow', 'models:read', 'telemetry:write'])).toEqual([
      'telemetry:write',
      'models:read',
    ]);
    expect(isSameScopes(['models:read', 'config:read'], ['config:read', 'models:read'])).toBe(true);
    expect(isSameScopes(['models:read'], ['config:read'])).toBe(false);
  });

  it('end', () => {
    const now = Date.parse('2026-11-26T00:00:00Z');
    expect(tokenEnd('2027-06-01T00:00:00Z', now)).toBe('fine');
    expect(tokenEnd('2026-12-01T00:00:00Z', now)).toBe('soon');
    expect(tokenEnd('2026-11-25T00:00:00Z', now)).toBe('ended');
    expect(tokenEnd(null, now)).toBe('revoked');
  });

  it('are used by the agent with two variables, and by curl', () => {
    const labels = {
      agent: 'Agent',
      agentFrom: 'From the repository',
      variables: 'Variables',
      curl: 'By curl',
    };
    const snippets = deviceSnippets('vd_1', 'https://ml.example', labels);
    expect(snippets.map(({ id }) => id)).toEqual(['agent', 'variables', 'curl']);
    for (const { lines } of snippets) {
      expect(lines).toContain('https://ml.example');
      expect(lines).toContain('vd_1');
    }
    expect(snippets[0]?.lines).toMatch(/^export VISIONOPS_DEVICE_TOKEN='vd_1'$/m);
    expect(snippets[0]?.note).toBe('From the repository');
  });
});
