import { Input, Stack } from '@mantine/core';
import { ConditionFields } from '../../../shared/condition-fields';
import type { Condition } from '../../../shared/conditions';
import { VersionSelect } from '../../../shared/version-select';
import { text } from '../../../text';
import type { FieldsProps } from './fields-props';

const words = text.deployments.fresh;
const FRESH: Condition = { metric: 'error_rate', op: '>', value: 0.1, for: '15m' };

/** What happens when it goes wrong. */
export function BackFields({ draft, onChange }: FieldsProps) {
  return (
    <Stack gap="md">
      <VersionSelect
        label={words.previous}
        hint={words.previousHint}
        model={draft.model}
        value={draft.previous}
        onChange={(previous) => onChange({ previous })}
      />
      <Input.Wrapper label={words.conditions} description={words.conditionsHint} labelElement="div">
        <div style={{ height: 8 }} />
        <ConditionFields
          conditions={draft.conditions}
          onChange={(conditions) => onChange({ conditions })}
          metrics={words.metrics}
          fresh={FRESH}
        />
      </Input.Wrapper>
    </Stack>
  );
}
