import { Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core';
import { text } from '../../text';
import type { DraftControl } from './use-draft';

type Source = 'catalog' | 'model' | 'url';
const SOURCES: readonly Source[] = ['catalog', 'model', 'url'];

/** Which weights a training begins with. Nothing said is the platform's default. */
export function Pretrained({ control }: { control: DraftControl }) {
  const words = text.training.wizard.model;
  const given = control.draft.pretrained ?? {};
  const edit = (change: Record<string, unknown>) => control.edit({ pretrained: { ...given, ...change } });
  const isOn = given.enabled !== false;
  const source = (given.source ?? 'catalog') as Source;
  return (
    <Stack gap="sm">
      <Switch
        label={words.pretrained}
        checked={isOn}
        onChange={(event) => edit({ enabled: event.currentTarget.checked })}
      />
      {isOn && (
        <Group gap="sm" align="flex-end">
          <Select
            w={260}
            label={words.source}
            allowDeselect={false}
            data={SOURCES.map((value) => ({ value, label: words.sources[value] }))}
            value={source}
            onChange={(value) => control.edit({ pretrained: { enabled: true, source: value } })}
          />
          {source === 'model' && (
            <>
              <TextInput
                label={words.modelName}
                value={String(given.model_name ?? '')}
                onChange={(event) => edit({ model_name: event.currentTarget.value || undefined })}
              />
              <NumberInput
                w={110}
                min={1}
                label={words.version}
                allowDecimal={false}
                value={typeof given.version === 'number' ? given.version : ''}
                onChange={(value) => edit({ version: typeof value === 'number' ? value : undefined })}
              />
            </>
          )}
          {source === 'url' && (
            <TextInput
              w={320}
              label={words.url}
              type="url"
              value={String(given.url ?? '')}
              onChange={(event) => edit({ url: event.currentTarget.value || undefined })}
            />
          )}
        </Group>
      )}
    </Stack>
  );
}
