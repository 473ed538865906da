import { Group, Select, Stack, Switch, TextInput } from '@mantine/core';
import { ModelSelect, VersionSelect } from '../../shared/version-select';
import { text } from '../../text';
import { beginning, type WeightsSource } from './draft';
import type { DraftControl } from './use-draft';

/** The digest of a version goes where another one is chosen. */
const NEWEST = { version: undefined, sha256: undefined };

/** Which weights a training begins with. Nothing said is the platform's default. */
export function Pretrained({
  control,
  sources,
}: {
  control: DraftControl;
  sources: readonly WeightsSource[];
}) {
  const words = text.training.wizard.model;
  const given = control.draft.pretrained ?? {};
  const edit = (change: Record<string, unknown>) => control.edit({ pretrained: { ...given, ...change } });
  const name = String(given.model_name ?? '');
  const { isOn, source } = beginning(given, sources);
  if (sources.length === 0) return null;
  return (
    <Stack gap="sm">
      <Switch
        label={words.pretrained}
        checked={isOn}
        onChange={(event) =>
          control.edit({
            pretrained: event.currentTarget.checked ? { enabled: true, source } : { enabled: false },
          })
        }
      />
      {isOn && (
        <Group gap="sm" align="flex-end">
          <Select
            w={260}
            label={words.source}
            allowDeselect={false}
            data={sources.map((value) => ({ value, label: words.sources[value] }))}
            value={source}
            onChange={(value) => control.edit({ pretrained: { enabled: true, source: value } })}
          />
          {source === 'model' && (
            <>
              <ModelSelect
                label={words.ofModel}
                nothingFound={words.noModels}
                value={name}
                onChange={(chosen) => edit({ source, model_name: chosen || undefined, ...NEWEST })}
              />
              <VersionSelect
                label={words.version}
                placeholder={words.newest}
                model={name}
                value={String(given.version ?? '')}
                onChange={(version) =>
                  edit({ source, ...NEWEST, ...(version === '' ? {} : { version: Number(version) }) })
                }
              />
            </>
          )}
          {source === 'url' && (
            <>
              <TextInput
                w={320}
                label={words.url}
                type="url"
                value={String(given.url ?? '')}
                onChange={(event) => edit({ source, url: event.currentTarget.value || undefined })}
              />
              <TextInput
                w={320}
                label={words.sha256}
                value={String(given.sha256 ?? '')}
                onChange={(event) => edit({ source, sha256: event.currentTarget.value || undefined })}
              />
            </>
          )}
        </Group>
      )}
    </Stack>
  );
}
