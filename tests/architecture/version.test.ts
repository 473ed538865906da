import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

describe('the version that people read', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const release = version.replace(/-dev$/, '');

  it.each([
    ['README.md', `Version ${version}:`],
    ['docs/guide/production.md', `git clone --branch v${release} REPOSITORY /opt/visionops-${release}\n`],
    ['docs/guide/production.md', `ln -sfn /opt/visionops-${release} /opt/visionops\n`],
  ])('is that of the package in %s', (file, text) => {
    expect(readFileSync(file, 'utf8')).toContain(text);
  });
});
