import { Select, Stack, Switch, Text, TextInput, Group } from '@mantine/core';
import { Choice } from '../../../shared/choice';
import { text } from '../../../text';
import type { Draft } from './draft';
import type { FieldsProps } from './fields-props';
import { GroupFields } from './group-fields';

const words = text.deployments.fresh;

/** In which order devices are asked, and when. */
export function HowFields({ draft, onChange }: FieldsProps) {
  return (
    <Stack gap="md">
      {draft.target !== 'device' && <Order draft={draft} onChange={onChange} />}
      <Window draft={draft} onChange={onChange} />
    </Stack>
  );
}

function Order({ draft, onChange }: FieldsProps) {
  return (
    <Stack gap="sm">
      <Choice
        label={words.how}
        options={words.strategies}
        value={draft.how}
        onChange={(how) => onChange({ how })}
      />
      <Text size="sm" c="dimmed">
        {words.strategyHints[draft.how]}
      </Text>
      {draft.how === 'groups' && (
        <GroupFields groups={draft.groups} onChange={(groups) => onChange({ groups })} />
      )}
    </Stack>
  );
}

const ZONES = Intl.supportedValuesOf('timeZone');
const NIGHT = { from: '22:00', to: '06:00' };

function Window({ draft: { window }, onChange }: FieldsProps) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const change = (part: Partial<NonNullable<Draft['window']>>) =>
    window !== null && onChange({ window: { ...window, ...part } });
  return (
    <Stack gap="sm">
      <Switch
        label={words.window}
        description={words.windowHint}
        checked={window !== null}
        onChange={(event) => onChange({ window: event.currentTarget.checked ? { ...NIGHT, tz: own } : null })}
      />
      {window !== null && (
        <Group gap="sm" align="flex-start">
          <TextInput
            type="time"
            w={120}
            label={words.from}
            required
            value={window.from}
            onChange={(event) => change({ from: event.currentTarget.value })}
          />
          <TextInput
            type="time"
            w={120}
            label={words.to}
            required
            value={window.to}
            onChange={(event) => change({ to: event.currentTarget.value })}
          />
          <Select
            label={words.tz}
            required
            searchable
            limit={50}
            w={240}
            allowDeselect={false}
            data={ZONES.includes(window.tz) ? ZONES : [window.tz, ...ZONES]}
            value={window.tz}
            onChange={(tz) => tz !== null && change({ tz })}
          />
        </Group>
      )}
    </Stack>
  );
}
