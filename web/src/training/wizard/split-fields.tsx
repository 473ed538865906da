import { Checkbox, Group, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { text } from '../../text';
import type { DraftControl } from './use-draft';

const DEFAULTS = { train: 0.8, val: 0.1, test: 0.1, seed: 42 } as const;
type Part = keyof typeof DEFAULTS;

/** How the images are shared out. Nothing said is the platform's default. */
export function SplitFields({ control }: { control: DraftControl }) {
  const words = text.training.wizard.dataset;
  const given = control.draft.split ?? {};
  const mode = given.mode === 'existing' ? 'existing' : 'ratio';
  const edit = (change: Record<string, unknown>) => control.edit({ split: { mode, ...given, ...change } });
  const part = (name: Part, step: number, max: number) => (
    <NumberInput
      w={110}
      label={words[name]}
      min={0}
      max={max}
      step={step}
      value={typeof given[name] === 'number' ? given[name] : DEFAULTS[name]}
      onChange={(value) => typeof value === 'number' && edit({ ...shares(given), [name]: value })}
    />
  );
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm" fw={500}>
        {words.split}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={words.split}
        data={[
          { value: 'ratio', label: words.modes.ratio },
          { value: 'existing', label: words.modes.existing },
        ]}
        value={mode}
        onChange={(value) => control.edit({ split: value === 'existing' ? { mode: value } : undefined })}
      />
      {mode === 'ratio' && (
        <>
          <Group gap="sm">
            {part('train', 0.05, 1)}
            {part('val', 0.05, 1)}
            {part('test', 0.05, 1)}
            {part('seed', 1, 2 ** 31 - 1)}
          </Group>
          <Checkbox
            label={words.stratify}
            checked={given.stratify === true}
            onChange={(event) => edit({ ...shares(given), stratify: event.currentTarget.checked })}
          />
        </>
      )}
    </Stack>
  );
}

/** All shares, so that a changed one is not added to defaults that nobody sees. */
const shares = (given: Readonly<Record<string, unknown>>) => ({
  train: given.train ?? DEFAULTS.train,
  val: given.val ?? DEFAULTS.val,
  test: given.test ?? DEFAULTS.test,
});
