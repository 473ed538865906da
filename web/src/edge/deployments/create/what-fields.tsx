import { Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../../app/session';
import { versionQuery } from '../../../shared/model-versions';
import { Unservable } from '../../../shared/unservable';
import { ModelSelect, VersionSelect } from '../../../shared/version-select';
import { text } from '../../../text';
import type { FieldsProps } from './fields-props';

const words = text.deployments.fresh;

/** The version of a model that devices get. */
export function WhatFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <Group grow align="flex-start" gap="sm">
        <ModelSelect
          label={words.model}
          nothingFound={words.noModels}
          value={draft.model}
          onChange={(model) => onChange({ model, version: '', current: '', previous: '' })}
        />
        <VersionSelect
          label={words.version}
          isRequired
          model={draft.model}
          value={draft.version}
          onChange={(version) => onChange({ version })}
        />
      </Group>
      <Licence model={draft.model} version={draft.version} />
      {draft.version !== '' && <Unservable model={draft.model} version={Number(draft.version)} />}
      <TextInput
        label={words.image}
        description={words.imageHint}
        maxLength={512}
        value={draft.image}
        onChange={(event) => onChange({ image: event.currentTarget.value })}
      />
    </>
  );
}

/** What the licence of the chosen version asks for goes out to every device with it. */
function Licence({ model, version }: { model: string; version: string }) {
  const isChosen = model !== '' && version !== '';
  const { data: chosen } = useQuery({
    ...versionQuery(useTenant(), model, Number(version)),
    enabled: isChosen,
  });
  if (!isChosen || !chosen) return null;
  return <Text size="sm">{words.licence(chosen.licence ?? text.models.versionPage.facts.noLicence)}</Text>;
}
