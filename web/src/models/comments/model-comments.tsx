import { Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useSearchChange } from '../../shared/search-change';
import type { TabSearch } from '../../shared/tabs';
import { text } from '../../text';
import type { Model } from '../queries';
import { VersionSelect } from '../../shared/version-select';
import { Comments } from './comments';

/** Comments belong to versions: that in Production stands first, else the latest. */
export function ModelComments({ model }: { model: Model }) {
  const search: TabSearch = useSearch({ strict: false });
  const change = useSearchChange();
  const chosen = Number(search.version);
  const version =
    Number.isInteger(chosen) && chosen > 0 ? chosen : (model.stages.production[0] ?? model.latest_version);
  if (version === null) return <Text>{text.models.model.noVersions}</Text>;
  return (
    <Stack gap="md">
      <VersionSelect
        w={200}
        label={text.models.model.shownVersion}
        mayBeNone={false}
        model={model.name}
        value={String(version)}
        onChange={(value) => change({ version: value })}
      />
      <Comments key={version} name={model.name} version={version} />
    </Stack>
  );
}
