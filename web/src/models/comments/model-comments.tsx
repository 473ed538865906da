import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTenant } from '../../app/session';
import { useSearchChange } from '../../shared/search-change';
import type { TabSearch } from '../../shared/tabs';
import { text } from '../../text';
import type { Model } from '../queries';
import { versionsQuery } from '../../shared/model-versions';
import { Comments } from './comments';

/** Comments belong to versions: that in Production stands first, else the latest. */
export function ModelComments({ model }: { model: Model }) {
  const tenant = useTenant();
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const { data } = useQuery(versionsQuery(tenant, model.name));
  const chosen = Number(search.version);
  const version =
    Number.isInteger(chosen) && chosen > 0 ? chosen : (model.stages.production[0] ?? model.latest_version);
  if (version === null) return <Text>{text.models.model.noVersions}</Text>;
  const numbers = [...new Set([version, ...(data?.items ?? []).map((entry) => entry.version)])];
  return (
    <Stack gap="md">
      <Select
        w={180}
        label={text.models.model.shownVersion}
        allowDeselect={false}
        data={numbers
          .sort((a, b) => b - a)
          .map((number) => ({ value: String(number), label: text.models.version(number) }))}
        value={String(version)}
        onChange={(value) => change({ version: value ?? undefined })}
      />
      <Comments key={version} name={model.name} version={version} />
    </Stack>
  );
}
