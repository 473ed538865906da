import { Button, Grid, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { body } from '../../api/client';
import { useMissing, useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { CopyPython } from '../../shared/copy-curl';
import { ErrorCard } from '../../shared/error-card';
import { useSearchChange } from '../../shared/search-change';
import { Page } from '../../shared/page';
import { text } from '../../text';
import { DatasetStep } from './dataset-step';
import { type Draft, isStep, requestOf, STEPS, stepOf, stepsToDo, type WizardStep } from './draft';
import { Findings } from './findings';
import { ModelStep } from './model-step';
import { ParametersStep } from './parameters-step';
import { Preflight } from './preflight';
import type { Config } from './queries';
import { ReviewStep } from './review-step';
import { StepNav } from './step-nav';
import { TaskStep } from './task-step';
import { type DraftControl, useDraft } from './use-draft';
import { type Check, usePreflight } from './use-preflight';

const PATH = '/api/v1/training/experiments';

/** Five steps on the left, the preflight on the right; what is there can be started from each step. */
export function WizardForm({ initial, clonedFrom }: { initial: Draft; clonedFrom: string | null }) {
  const words = text.training.wizard;
  const tenant = useTenant();
  const missing = useMissing('DEVELOP');
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const change = useSearchChange();
  const control = useDraft(initial);
  const request = requestOf(control.draft);
  const toDo = control.isLoading ? [] : stepsToDo(control.draft);
  const call = { method: 'POST', path: PATH, query: { preset: control.preset }, body: request ?? {} };
  const check = usePreflight(request);
  const start = useStart(request, control.preset);
  const here = isStep(search.step) ? search.step : 'task';
  const go = (step: WizardStep) => change({ step: step === 'task' ? undefined : step });
  const at = STEPS.indexOf(here);
  const [before, after] = [STEPS[at - 1], STEPS[at + 1]];
  return (
    <Page
      title={words.title}
      crumbs={[
        { label: text.training.list.title, to: '/t/$tenant/training', params: { tenant: tenant.code } },
      ]}
      description={clonedFrom === null ? undefined : words.cloned(clonedFrom)}
      curl={call}
      actions={
        <>
          <CopyPython call={call} />
          <Explained reason={missing ?? reasonAgainst(toDo, check)}>
            <Button loading={start.isPending} onClick={() => start.mutate()}>
              {words.train}
            </Button>
          </Explained>
        </>
      }
    >
      <Stack gap="md">
        <StepNav here={here} errors={countByStep(check)} onGo={go} />
        {start.isError && <ErrorCard error={start.error} />}
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 8.5 }}>
            <Findings
              errors={check.errors.filter(({ loc }) => stepOf(loc) === here)}
              warnings={check.warnings.filter(({ loc }) => stepOf(loc) === here)}
            />
            <StepBody step={here} control={control} check={check} />
            <Group mt="lg" gap="sm">
              {before && (
                <Button variant="default" onClick={() => go(before)}>
                  {words.back}
                </Button>
              )}
              {after && (
                <Button variant="default" onClick={() => go(after)}>
                  {`${words.next}: ${words.steps[after]}`}
                </Button>
              )}
            </Group>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 3.5 }}>
            <Preflight check={check} toDo={toDo} onGo={go} />
          </Grid.Col>
        </Grid>
      </Stack>
    </Page>
  );
}

/** Why the training cannot be started yet; null: it can. */
function reasonAgainst(toDo: readonly WizardStep[], { isPassed }: Check): string | null {
  const { preflight, steps } = text.training.wizard;
  if (toDo.length > 0) return preflight.chooseFirst(toDo.map((step) => steps[step]).join(', '));
  return isPassed ? null : preflight.wait;
}

function StepBody({ step, control, check }: { step: WizardStep; control: DraftControl; check: Check }) {
  switch (step) {
    case 'task':
      return <TaskStep control={control} />;
    case 'model':
      return <ModelStep control={control} />;
    case 'dataset':
      return <DatasetStep control={control} />;
    case 'parameters':
      return (
        <ParametersStep control={control} errors={check.errors.filter(({ loc }) => stepOf(loc) === step)} />
      );
    case 'review':
      return <ReviewStep control={control} gpus={check.estimate?.gpu_available ?? null} />;
  }
}

function useStart(request: Record<string, unknown> | null, preset: string | null) {
  const tenant = useTenant();
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST(PATH, {
          params: { query: preset === null ? {} : { preset } },
          body: request as unknown as Config,
        }),
      ),
    onSuccess: async ({ id }) => {
      await navigate({
        to: '/t/$tenant/training/$experimentId',
        params: { tenant: tenant.code, experimentId: id },
      });
      await client.invalidateQueries({ queryKey: [tenant.code, 'training', 'list'] });
    },
  });
}

function countByStep({ errors }: Check): ReadonlyMap<WizardStep, number> {
  const counts = new Map<WizardStep, number>();
  for (const { loc } of errors) counts.set(stepOf(loc), (counts.get(stepOf(loc)) ?? 0) + 1);
  return counts;
}
