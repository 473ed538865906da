import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cacheDir = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'visionops', 'releases');

/** Runs it to its end. @throws Error with what it printed */
function run(cwd, command, ...args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

export const hasCommit = (root, commit) =>
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0;

/**
 * The build of a release, made from its commit and kept outside the repository, beside the engines.
 * @returns its folder
 */
export function releaseBuild(root, { version, commit }) {
  const folder = join(cacheDir(), `${version}-${commit.slice(0, 12)}`);
  if (!existsSync(join(folder, 'dist/.build-stamp'))) makeBuild(root, commit, folder);
  // The clone that it was built with may be gone.
  if (sharesPackages(root, folder)) linkPackages(root, folder);
  return folder;
}

function makeBuild(root, commit, folder) {
  mkdirSync(cacheDir(), { recursive: true });
  const draft = mkdtempSync(`${folder}.`);
  try {
    run(root, 'git', 'archive', `--output=${join(draft, 'release.tar')}`, commit);
    run(draft, 'tar', '-xf', 'release.tar');
    rmSync(join(draft, 'release.tar'));
    if (sharesPackages(root, draft)) linkPackages(root, draft);
    run(draft, process.execPath, 'scripts/bootstrap.mjs', 'build');
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** True where both ask for the same packages, whatever their own version. */
function sharesPackages(root, folder) {
  const wanted = (place) => {
    const { packages } = JSON.parse(readFileSync(join(place, 'package-lock.json'), 'utf8'));
    return JSON.stringify({ ...packages, '': { ...packages[''], version: null } });
  };
  return wanted(root) === wanted(folder);
}

function linkPackages(root, folder) {
  const link = join(folder, `node_modules.${process.pid}`);
  symlinkSync(join(root, 'node_modules'), link);
  renameSync(link, join(folder, 'node_modules'));
}
