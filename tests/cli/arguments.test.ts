import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS, parseArguments, UsageError } from '../../cli/arguments.js';

const parse = (...words: string[]) => parseArguments(words, '/home/me/clone');

describe('the command line', () => {
  it('starts with the data directory in the clone when nothing is asked for', () => {
    expect(parse()).toMatchObject({
      command: 'start',
      dataDir: '/home/me/clone/.data',
      port: null,
      sample: true,
      ephemeral: false,
    });
  });

  it('takes flags before and after the command, with or without an equals sign', () => {
    expect(parse('--port=9000', 'status', '-o', 'json', '--data-dir', '../d')).toMatchObject({
      command: 'status',
      port: 9000,
      output: 'json',
      dataDir: '/home/me/d',
    });
  });

  it('takes files after the command that reads them', () => {
    expect(parse('verify-erasure', 'a.json', '--data-dir', 'd', 'keys.json')).toMatchObject({
      command: 'verify-erasure',
      files: ['a.json', 'keys.json'],
      dataDir: '/home/me/clone/d',
    });
  });

  it('takes the addresses of an import', () => {
    const words = ['import', 'mlflow', '--from=http://a:5000', '--to', 'http://b', '--tenant', 'demo'];
    const own = { from: 'http://a:5000', to: 'http://b', tenant: 'demo' };
    const wanted = { files: ['mlflow'], own };
    expect(parse(...words)).toMatchObject({ command: 'import', ...wanted });
  });

  it.each(['backup', 'restore'])('takes one folder after %s', (command) => {
    expect(parse(command, '/backups/a').files).toEqual(['/backups/a']);
    expect(() => parse(command, '/backups/a', '/backups/b')).toThrow(UsageError);
  });

  it.each([[['help']], [['--help']], [['stop', '-h']]])('shows its help for %j', (words) => {
    expect(parse(...words).help).toBe(true);
  });

  it.each(COMMANDS)('reports %s in its help and in the quickstart', (command) => {
    expect(readFileSync('cli/usage.txt', 'utf8')).toMatch(new RegExp(`^  ${command} `, 'm'));
    expect(readFileSync('docs/guide/quickstart.md', 'utf8')).toMatch(
      command === 'start' ? /^\| `npm start` \|/m : new RegExp(`^\\| \`npm start -- ${command}[ \`]`, 'm'),
    );
  });

  it.each([
    [['--prot', '1'], /--prot is not a flag/],
    [['--port', '70000'], /1 to 65535/],
    [['--port'], /needs a value/],
    [['status', '--from', 'http://a'], /belongs to the command import/],
    [['start', '--remove'], /belongs to the command simulate-devices/],
    [['start', '--aside'], /belongs to the command reset/],
    [['stat'], /"stat" is not a command/],
    [['start', 'stop'], /one word too many/],
    [['migrate', 'down'], /is not taken back.*restored from the backup/],
    [['-o', 'yaml'], /env or json/],
    [['verify-erasure', 'a.json', 'b.json', 'c.json'], /one word too many/],
    [['--ephemeral', '--data-dir', 'x'], /leave out --data-dir/],
  ])('refuses %j and names what is wrong', (words, message) => {
    expect(() => parse(...words)).toThrow(UsageError);
    expect(() => parse(...words)).toThrow(message);
  });
});
