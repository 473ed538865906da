import { useQueries, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useTenant } from '../../app/session';
import { useSearchChange, type Words } from '../../shared/search-change';
import { useKept } from '../../shared/use-kept';
import { type Draft, withConfig, withDataset, withModel, withTask } from './draft';
import { modelsQuery, type Preset, previewQuery, tasksQuery, trainableQuery } from './queries';
import { datasetFor, frozenData, holding, modelFor, taskFor } from './resolve';

export interface DraftControl {
  /** With defaults in the place of what nobody chose. */
  readonly draft: Draft;
  /** What the defaults come from is on its way. */
  readonly isLoading: boolean;
  /** Preset that it began with. */
  readonly preset: string | null;
  /** Why a task cannot be trained from the chosen dataset. */
  readonly unusable: ReadonlyMap<string, string>;
  /** Hyperparameters as a preset or another training gave them; null when nothing did. */
  readonly given: string | null;
  readonly edit: (change: Partial<Draft>) => void;
  readonly chooseTask: (task: string) => void;
  readonly chooseModel: (framework: string, model: string) => void;
  readonly chooseDataset: (datasetId: string) => void;
  readonly loadPreset: (preset: Preset) => void;
  /** The preset is no more; what it filled in stays. */
  readonly forgetPreset: () => void;
}

/** What outlives a reload. */
interface Held {
  readonly made: Draft;
  readonly preset: string | null;
  readonly given: string | null;
}

/** The config that is made; task, model and dataset stand in the address too. */
export function useDraft(initial: Draft): DraftControl {
  const tenant = useTenant();
  const change = useSearchChange();
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const [{ made, preset, given }, set] = useKept<Held>(() => ({
    made: {
      ...initial,
      task: search.task ?? initial.task,
      framework: search.framework ?? initial.framework,
      model: search.model ?? initial.model,
      dataset_id: search.dataset ?? initial.dataset_id,
    },
    preset: null,
    given: initial.hyperparameters || null,
  }));
  const setMade = (changed: Draft) => set({ made: changed });
  // The draft is one for all steps: "back" leads to the step before, and takes back no choice.
  const note = (words: Words) => change(words, { replace: true });
  const datasetList = useQuery(trainableQuery(tenant));
  const taskList = useQuery(tasksQuery(tenant));
  const datasets = datasetList.data?.items ?? [];
  const tasks = taskList.data?.items ?? [];
  const datasetId = datasetFor(made, datasets);
  // What somebody looked at is what is trained: a dataset that is frozen later takes its place with nobody.
  const isCurrent = datasetList.isSuccess && !datasetList.isFetching;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `set` is another function at each render and does the same
  useEffect(() => {
    if (isCurrent && made.dataset_id === null && datasetId !== null) set({ made: holding(made, datasetId) });
  }, [isCurrent, made, datasetId]);
  const dataset = frozenData(datasetId, datasetList.data?.items);
  const trainable = tasks.filter(({ available }) => available);
  const previews = useQueries({
    queries: trainable.map(({ name }) => previewQuery(tenant, dataset, name, 1)),
  });
  const usable = new Map<string, boolean>();
  for (const [at, { name }] of trainable.entries()) {
    const preview = previews[at];
    if (preview?.data) usable.set(name, preview.data.usable);
    // What cannot be found out stands in the way of no other task.
    else if (preview?.isError) usable.set(name, false);
  }
  const task = taskFor(made, tasks, usable);
  const modelList = useQuery(modelsQuery(tenant, task));
  const model = modelFor({ ...made, task }, modelList.data?.items ?? []);
  const draft = useMemo<Draft>(
    () => ({
      ...made,
      dataset_id: datasetId,
      task,
      framework: made.framework ?? model?.framework ?? null,
      model: made.model ?? model?.name ?? null,
    }),
    [made, datasetId, task, model],
  );
  return {
    draft,
    isLoading:
      datasetList.isLoading ||
      taskList.isLoading ||
      modelList.isLoading ||
      (task === null && previews.some((preview) => preview.isLoading)),
    preset,
    given,
    unusable: new Map(
      previews.flatMap(({ data }) =>
        data === undefined || data.reason === null ? [] : [[data.task, data.reason] as const],
      ),
    ),
    edit: (changes) => setMade({ ...holding(made, datasetId), ...changes }),
    chooseTask: (chosen) => {
      setMade(withTask({ ...holding(made, datasetId), task }, chosen));
      note({ task: chosen, framework: undefined, model: undefined });
    },
    chooseModel: (framework, name) => {
      const held = holding(made, datasetId);
      setMade(withModel({ ...held, task, framework: draft.framework, model: draft.model }, framework, name));
      note({ framework, model: name });
    },
    chooseDataset: (chosen) => {
      setMade(withDataset({ ...made, dataset_id: datasetId }, chosen));
      note({ dataset: chosen });
    },
    forgetPreset: () => set({ preset: null }),
    loadPreset: ({ id, config }) => {
      const filled = withConfig({ ...made, dataset_id: datasetId }, config);
      set({ made: filled, preset: id, given: filled.hyperparameters || null });
      note({ task: undefined, framework: undefined, model: undefined });
    },
  };
}
