import type { Schemas } from '../api/client';
import { text } from '../text';
import { type Entry, matching } from './palette-match';

const { palette } = text.frame;

/**
 * What the tracker found as entries of the palette: the experiments whose place has the words, and all runs.
 * An experiment that comes for the sake of its runs alone is none of the first.
 */
export function trackedThings(
  projects: ReadonlyArray<Schemas['TreeProjectOut']>,
  tenant: string,
  q: string,
): { readonly experiments: readonly Entry[]; readonly runs: Entry[] } {
  const experiments: Entry[] = [];
  const runs: Entry[] = [];
  for (const { name: project, experiments: within } of projects)
    for (const experiment of within) {
      const place = `${project}/${experiment.name}`;
      experiments.push({
        label: place,
        group: palette.experiments,
        to: { to: '/t/$tenant/experiments', params: { tenant }, search: { q: place } },
      });
      for (const { run_id, name } of experiment.runs)
        runs.push({
          label: `${experiment.name} · ${name}`,
          group: palette.runs,
          to: { to: '/t/$tenant/runs/$runId', params: { tenant, runId: run_id } },
        });
    }
  return { experiments: matching(experiments, q), runs };
}
