import { readFileSync } from 'node:fs';

type Env = Readonly<Record<string, string | undefined>>;

/** Name of the variable that names the file of a secret. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * Reads the secrets that are given as `<NAME>_FILE`, as Docker and Kubernetes give them: the content of the file without
 * one newline at its end is the value of `<NAME>`.
 * @param names of all settings that are secret
 * @returns the environment with values in place of files, and what is wrong; neither a value nor a path is repeated there,
 * since a secret may have been given where its file belongs
 */
export function readSecretFiles(
  env: Env,
  names: readonly string[],
): { readonly env: Record<string, string | undefined>; readonly problems: readonly string[] } {
  const opened = { ...env };
  const problems: string[] = [];
  for (const name of names) {
    const variable = fileVariable(name);
    const path = env[variable];
    delete opened[variable];
    if (path === undefined || path === '') continue;
    if (env[name]) {
      problems.push(`${name}, ${variable}: give one of them, not both`);
      continue;
    }
    const content = contentOf(path);
    if ('problem' in content) problems.push(`${variable}: ${content.problem}`);
    else opened[name] = content.text;
  }
  return { env: opened, problems };
}

function contentOf(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { problem: 'names a file that is empty' } : { text };
  } catch (error) {
    return { problem: `names a file that cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
