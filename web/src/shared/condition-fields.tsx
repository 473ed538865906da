import {
  ActionIcon,
  Autocomplete,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { text } from '../text';
import type { Condition } from './conditions';

const words = text.conditions;
const OPERATORS = ['<', '<=', '>', '>='] as const;
const MOST = 20;

interface FieldsProps {
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
  /** Metrics that are offered, with what they are. */
  readonly metrics: Readonly<Record<string, string>>;
  readonly fresh: Condition;
}

/** Conditions under which a promotion or a deployment is taken back by itself. */
export function ConditionFields({ conditions, onChange, metrics, fresh }: FieldsProps) {
  const change = (place: number, part: Partial<Condition>) =>
    onChange(conditions.map((condition, at) => (at === place ? { ...condition, ...part } : condition)));
  return (
    <Stack gap="sm">
      {conditions.map((condition, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no name that lasts while it is typed
        <Group key={place} gap="xs" align="flex-end" wrap="wrap">
          <Autocomplete
            w={180}
            label={words.metric}
            required
            maxLength={128}
            data={Object.keys(metrics)}
            renderOption={({ option }) => metrics[option.value] ?? option.value}
            value={condition.metric}
            onChange={(metric) => change(place, { metric })}
          />
          <Select
            w={70}
            label={words.op}
            allowDeselect={false}
            data={OPERATORS}
            value={condition.op}
            onChange={(op) => op !== null && change(place, { op })}
          />
          <NumberInput
            w={100}
            label={words.value}
            required
            value={condition.value}
            onChange={(value) => change(place, { value })}
          />
          <TextInput
            w={80}
            label={words.span}
            required
            pattern="[1-9][0-9]{0,4}[mhd]"
            title={words.spanHint}
            placeholder="1h"
            value={condition.for}
            onChange={(event) => change(place, { for: event.currentTarget.value })}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={words.removeCondition(condition.metric)}
            onClick={() => onChange(conditions.filter((_, at) => at !== place))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {conditions.length < MOST && (
        <Button
          size="compact-sm"
          variant="default"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...conditions, fresh])}
        >
          {words.addCondition}
        </Button>
      )}
    </Stack>
  );
}
