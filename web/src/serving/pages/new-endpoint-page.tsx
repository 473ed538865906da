import { Button, Group, NumberInput, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useMissing, useTenant } from '../../app/session';
import { Explained } from '../../shared/allowed';
import { ErrorCard } from '../../shared/error-card';
import { versionImageQuery } from '../../shared/model-versions';
import { EXAMPLE_CALLS } from '../../shared/example-calls';
import { Page } from '../../shared/page';
import { frozenOffers } from '../../shared/choices/offers';
import { SearchSelect } from '../../shared/choices/search-select';
import { useKept } from '../../shared/use-kept';
import { useShown } from '../../shared/use-shown';
import { text } from '../../text';
import { createEndpoint, type EndpointFields, type Phase } from '../fresh/create-endpoint';
import { notifyCreated, notifyFailed } from '../fresh/notify-away';
import { firstCall, type Served, withReadyImage } from '../fresh/served';
import { ServedChoice, useServed } from '../fresh/served-choice';
import { endpointNameOf, freeName, isEndpointName } from '../image-name';
import { datasetNameQuery, endpointsQuery, servableImageQuery } from '../queries';

const words = text.serving.fresh;

/** Hints of different length below their fields, so that these stand in one line. */
const ORDER: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

/** What is filled in; null: nothing yet. */
interface Filled {
  readonly typed: string | null;
  readonly replicas: number | string;
  readonly gpu: number | string;
  readonly dataset: string | null;
}

const NOTHING_FILLED: Filled = { typed: null, replicas: 1, gpu: 0, dataset: null };

/** Serves a version of a model, or an image, under a name of its own. */
export function NewEndpointPage() {
  const tenant = useTenant();
  const served = useServed();
  const { what, reason } = useServable(served);
  const suggested = useSuggestedName(served);
  const [{ typed, replicas, gpu, dataset }, change] = useKept<Filled>(() => NOTHING_FILLED);
  const name = typed ?? suggested;
  const fields = {
    name,
    replicas: Number(replicas),
    gpu: Number(gpu),
    ...(dataset === null ? {} : { validation_dataset_id: dataset }),
  };
  const { create, phase } = useCreation(fields);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (what !== null) create.mutate(what);
  };
  const isWrong = name !== '' && !isEndpointName(name);
  return (
    <Page
      title={words.title}
      crumbs={[{ label: text.serving.title, to: '/t/$tenant/serving', params: { tenant: tenant.code } }]}
      curl={what === null ? EXAMPLE_CALLS.endpoint : firstCall(what, fields)}
    >
      <Paper withBorder p="md" maw={640}>
        <form onSubmit={submit}>
          <Stack gap="md">
            <ServedChoice served={served} />
            <TextInput
              label={words.name}
              description={words.nameHint}
              required
              maxLength={50}
              value={name}
              error={isWrong ? words.nameWrong : undefined}
              onChange={(event) => change({ typed: event.currentTarget.value })}
            />
            <Group grow align="flex-start" gap="sm">
              <NumberInput
                inputWrapperOrder={ORDER}
                label={words.replicas}
                description={words.replicasHint}
                min={1}
                max={32}
                allowDecimal={false}
                value={replicas}
                onChange={(replicas) => change({ replicas })}
              />
              <NumberInput
                inputWrapperOrder={ORDER}
                label={words.gpu}
                description={words.gpuHint}
                min={0}
                max={64}
                allowDecimal={false}
                value={gpu}
                onChange={(gpu) => change({ gpu })}
              />
            </Group>
            <DatasetChoice value={dataset} onChange={(dataset) => change({ dataset })} />
            {create.isError && <ErrorCard error={create.error} />}
            <Group justify="flex-end" gap="md">
              {create.isPending && (
                <Text size="sm" role="status">
                  {phase === 'building' ? words.building : words.creating}
                </Text>
              )}
              <Explained reason={reason ?? (isEndpointName(name) ? null : words.needsName)}>
                <Button type="submit" loading={create.isPending}>
                  {words.submit}
                </Button>
              </Explained>
            </Group>
          </Stack>
        </form>
      </Paper>
    </Page>
  );
}

/** The page of the endpoint follows; whoever has left the form meanwhile is notified where they are. */
function useCreation(fields: EndpointFields) {
  const tenant = useTenant();
  const client = useQueryClient();
  const navigate = useNavigate();
  const isShown = useShown();
  const [phase, setPhase] = useState<Phase>('creating');
  const create = useMutation({
    mutationFn: (what: Served) => createEndpoint(tenant, what, fields, setPhase),
    onSuccess: async ({ name }) => {
      await client.invalidateQueries({ queryKey: [tenant.code, 'endpoints'] });
      if (isShown.current)
        await navigate({
          to: '/t/$tenant/serving/$endpoint',
          params: { tenant: tenant.code, endpoint: name },
        });
      else notifyCreated(tenant.code, name);
    },
    onError: (error) => {
      if (!isShown.current) notifyFailed(fields.name, error);
    },
  });
  return { create, phase };
}

/** What the form sends, and why it cannot; null: it can. */
function useServable(served: Served | null): { what: Served | null; reason: string | null } {
  const version = served?.kind === 'version' ? served : null;
  const mayNotDeploy = useMissing('DEPLOY');
  const mayNotBuild = useMissing('DEVELOP');
  const { data: image } = useQuery(
    versionImageQuery(useTenant(), version?.name ?? '', version?.version ?? 0, version !== null),
  );
  const what = withReadyImage(served, image);
  if (what === null) return { what, reason: mayNotDeploy ?? words.needsServed };
  const mayNotHave = what.kind === 'version' && mayNotBuild !== null ? words.needsImage(mayNotBuild) : null;
  return { what, reason: mayNotDeploy ?? mayNotHave };
}

interface ChoiceProps {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

function DatasetChoice({ value, onChange }: ChoiceProps) {
  const tenant = useTenant();
  const { data: name } = useQuery(datasetNameQuery(tenant, value));
  return (
    <SearchSelect
      label={words.validation}
      description={words.validationHint}
      clearable
      clearButtonProps={{ 'aria-label': text.lists.clearFilter(words.validation) }}
      offers={frozenOffers(tenant)}
      value={value}
      valueLabel={name}
      onChange={onChange}
    />
  );
}

/** The model's name as one that an endpoint can have and none has; '' until that is known. */
function useSuggestedName(served: Served | null): string {
  const tenant = useTenant();
  const { data: endpoints } = useQuery(endpointsQuery(tenant));
  const { data: image } = useQuery(servableImageQuery(tenant, served?.kind === 'image' ? served.id : ''));
  if (served === null || endpoints === undefined) return '';
  const taken = endpoints.items.map(({ name }) => name);
  if (served.kind === 'version') return freeName(endpointNameOf(served.name), taken);
  return freeName(endpointNameOf(image?.model_name ?? image?.repository.split('/').at(-1) ?? ''), taken);
}
