import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../app/session';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { lineOf, mergeParameters } from './parameters';
import { Presets } from './presets';
import { type Finding, parametersQuery } from './queries';
import type { DraftControl } from './use-draft';
import { YamlEditor } from './yaml-editor';

interface ParametersStepProps {
  readonly control: DraftControl;
  readonly errors: readonly Finding[];
}

export function ParametersStep({ control, errors }: ParametersStepProps) {
  const words = text.training.wizard.parameters;
  const tenant = useTenant();
  const { draft, edit } = control;
  const query = useQuery(parametersQuery(tenant, draft.framework, draft.model));
  if (query.data === undefined) return <Reading query={query} lines={12} />;
  const catalog = String(query.data);
  // What a preset or a clone says gets the comments of the catalog; what somebody typed stays as it was typed.
  const typed = draft.hyperparameters === '' ? catalog : draft.hyperparameters;
  const value = typed === control.given ? mergeParameters(catalog, typed) : typed;
  const wrong = errors.flatMap(({ loc }) => lineOf(value, loc) ?? []);
  return (
    <Stack gap="md">
      <Reading query={query} />
      <Group justify="space-between" align="flex-end">
        <Presets control={control} />
        <Button
          variant="default"
          size="compact-md"
          disabled={value === catalog}
          onClick={() => edit({ hyperparameters: '' })}
        >
          {words.reset}
        </Button>
      </Group>
      <YamlEditor
        label={words.label}
        hint={words.hint}
        value={value}
        wrong={new Set(wrong)}
        onChange={(changed) => edit({ hyperparameters: changed === catalog ? '' : changed })}
      />
    </Stack>
  );
}
