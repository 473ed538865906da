import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ADMIN } from '../../setup/supervised-platform.js';

export const GUIDES_FOLDER = 'docs/guide';
const MAIN = fileURLToPath(new URL('../../../cli/main.js', import.meta.url));

export const blocksOf = (guide: string, language = ''): string[] => {
  const text = readFileSync(join(GUIDES_FOLDER, guide), 'utf8');
  const found = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  return found.filter(([, tag]) => tag === language).map(([, , body]) => body as string);
};

/** Blocks that readers copy into a shell, but for those that start the platform itself. */
const shellOf = (guide: string): string[] => blocksOf(guide).filter((block) => !/npm start$/m.test(block));

/** A refused call ends the script; a stream is followed for a while. */
const PRELUDE = `set -e
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
npm() { shift 2; "$NODE" "$MAIN" "$@"; }
curl() {
  local follow=; [[ " $* " == *' -sN '* ]] && follow='--max-time 5'
  command curl --fail-with-body $follow "$@" || { local code=$?; [ "$code" = 28 ] && [ -n "$follow" ]; }
}
`;

/** The commands of a guide, after those by which its reader has signed in and chosen a tenant. */
export function commandsOf(guide: string): string {
  const [signIn = '', chooseTenant = '', ...further] = shellOf('first-calls.md');
  const own = guide === 'first-calls.md' ? further : shellOf(guide);
  if (own.length === 0) throw new Error(`${guide} has no commands`);
  return [signIn, chooseTenant, ...own].join('\n');
}

/** Runs commands as the administrator of the platform at `baseUrl` would in `folder`. */
export function runInShell(
  script: string,
  baseUrl: string,
  folder: string,
  timeout: number,
): Promise<{ code: number; output: string }> {
  const reader = { B: baseUrl, EMAIL: ADMIN.email, PASSWORD: ADMIN.password };
  const env = { PATH: process.env.PATH, ...reader, NODE: process.execPath, MAIN };
  return new Promise((resolve) => {
    const done = (error: { code?: unknown } | null, stdout: string, stderr: string) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` });
    const options = { cwd: folder, env, timeout, maxBuffer: 64 * 1024 ** 2 };
    execFile('bash', ['-c', PRELUDE + script], options, done);
  });
}
