import { describe, expect, it } from '@jest/globals';
import { outboundProblem, readOutboundUrl } from '../../../core/security/outbound-url.js';

describe('an address to be called', () => {
  it.each([
    'https://data.example.org/api',
    'http://data.example.org:8080',
    'https://8.8.8.8/x',
    'https://[2606:4700::1111]/x',
    'HTTPS://DATA.example.org',
  ])('may be %s', (text) => {
    expect(readOutboundUrl(text).problem).toBeNull();
  });

  it.each([
    '',
    'data.example.org',
    '//data.example.org',
    'ftp://data.example.org',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'gopher://127.0.0.1:6379/_x',
    'https://user:pass@data.example.org',
    'https://user@data.example.org',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://0/',
    'http:\\\\127.1\\',
    'http:127.1',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://127.0.0.1./',
    'http://exa mple.org/',
    'http://[::1',
  ])('is not %j', (text) => {
    expect(readOutboundUrl(text)).toEqual({ url: null, problem: expect.stringMatching(/.{10}/) });
  });
});

describe('the allow-list of addresses', () => {
  it.each([
    '',
    '10.0.0.0/8',
    '127.0.0.1',
    'fd00::/8, ::1',
    'data.example.org',
    '*.example.org  10.1.0.0/16',
    'localhost',
    'data.intern:8443',
    '10.0.0.1:80 10.0.0.0/8:65535',
    '[::1]:443,[fd00::/8]:1',
  ])('takes %j', (text) => {
    expect(outboundProblem(text)).toBeNull();
  });

  it.each([
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    '10.0.0',
    'http://data.example.org',
    'data.example.org:0',
    'data.example.org:65536',
    'data.example.org:x',
    'data.example.org:',
    ':80',
    '[data.example.org]:80',
    '[10.0.0.1]:80',
    '[::1]',
    '10.0.0.0:80/8',
    '*',
    '*.',
    '-x.org',
    '10.0.0.0/8/8',
    'a..b',
  ])('refuses %j and says which entry', (text) => {
    expect(outboundProblem(`127.0.0.1,${text}`)).toMatch(/^entry 2 /);
  });
});
