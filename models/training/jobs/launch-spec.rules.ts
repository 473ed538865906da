import type { NewWorkload } from '../../workloads/workload.types.js';

/** Variables whose values nobody is shown. */
const SECRETS: ReadonlySet<string> = new Set(['JOB_TOKEN']);

/** What every job finds in its environment beside what it is given (runtime contract), without values of this machine. */
const ALWAYS = [
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'TZ',
  'PYTHONUNBUFFERED',
  'PYTHONDONTWRITEBYTECODE',
  'PYTHONNOUSERSITE',
  'VISIONOPS_WORKLOAD',
  'TRACKER_URL_FILE',
] as const;

export interface LaunchVariable {
  readonly name: string;
  /** Null for secrets, and for what the host decides. */
  readonly value: string | null;
  readonly from: 'platform' | 'host' | 'secret';
}

export interface LaunchVolume {
  /** Relative to the working directory. */
  readonly path: string;
  readonly kind: 'workspace' | 'file' | 'dataset' | 'object';
  readonly description: string;
  readonly readOnly: boolean;
}

export interface LaunchSpec {
  readonly environment: readonly LaunchVariable[];
  readonly volumes: readonly LaunchVolume[];
}

/** A job as it is launched, without its secrets. @param dataset the frozen data, for people */
export function launchSpec({ spec, env }: NewWorkload, dataset: string): LaunchSpec {
  return {
    environment: [
      ...Object.entries(env).map(([name, value]) =>
        SECRETS.has(name)
          ? ({ name, value: null, from: 'secret' } as const)
          : ({ name, value, from: 'platform' } as const),
      ),
      ...ALWAYS.map((name) => ({ name, value: null, from: 'host' }) as const),
    ],
    volumes: [
      {
        path: '.',
        kind: 'workspace',
        description: 'A directory of its own on the host, removed when the attempt has ended.',
        readOnly: false,
      },
      ...spec.files.map(({ path }) => ({
        ...{ path, kind: 'file' as const, readOnly: false },
        description: 'Written before the start.',
      })),
      ...spec.downloads.map(({ path, sha256 }) => ({
        ...{ path, kind: 'object' as const, readOnly: false },
        description: `Fetched before the start${sha256 ? `, sha256 ${sha256}` : ''}.`,
      })),
      { path: 'dataset', kind: 'dataset', description: dataset, readOnly: false },
    ],
  };
}
