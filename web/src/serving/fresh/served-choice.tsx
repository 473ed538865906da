import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTenant } from '../../app/session';
import { modelNamesQuery, versionImageQuery, versionsQuery } from '../../shared/model-versions';
import { Unservable } from '../../shared/unservable';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { readyImagesQuery } from '../queries';
import type { Served } from './served';

const route = getRouteApi('/signed-in/t/$tenant/serving/new');
const words = text.serving.fresh;

/** What the address says is to be served; otherwise the latest version of the model that was changed last. */
export function useServed(): Served | null {
  const tenant = useTenant();
  const navigate = useNavigate();
  const { model, version, image } = route.useSearch();
  const isVersion = image === undefined;
  const { data: names, isFetching: readsNames } = useQuery({
    ...modelNamesQuery(tenant),
    enabled: isVersion,
  });
  const name = model ?? names?.[0];
  const isWanted = isVersion && name !== undefined;
  const { data: versions, isFetching: readsVersions } = useQuery({
    ...versionsQuery(tenant, name ?? ''),
    enabled: isWanted,
  });
  const latest = Math.max(0, ...(versions?.items.map((entry) => entry.version) ?? []));
  const number = version === undefined ? latest : Number(version);
  // What the form shows is what is served: a version that comes later takes its place with nobody.
  const isToHold = isWanted && version === undefined && latest > 0 && !readsNames && !readsVersions;
  useEffect(() => {
    if (isToHold)
      void navigate({
        to: '.',
        search: { model: name, version: String(latest) } as never,
        state: true,
        replace: true,
        resetScroll: false,
      });
  }, [isToHold, name, latest, navigate]);
  if (!isVersion) return image === '' ? null : { kind: 'image', id: image };
  return name !== undefined && Number.isInteger(number) && number > 0
    ? { kind: 'version', name, version: number }
    : null;
}

/** Choice of a version of a model, or of an image; it stands in the address. */
export function ServedChoice({ served }: { served: Served | null }) {
  const { image } = route.useSearch();
  const navigate = useNavigate();
  const kind = image === undefined ? 'version' : 'image';
  const go = (search: object) => void navigate({ to: '.', search: search as never, replace: true });
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={words.what}
        style={{ alignSelf: 'flex-start' }}
        data={Object.entries(words.kinds).map(([value, label]) => ({ value, label }))}
        value={kind}
        onChange={(value) => go(value === 'image' ? { image: '' } : {})}
      />
      {kind === 'image' ? <ImageChoice onChoose={go} /> : <VersionChoice served={served} onChoose={go} />}
    </Stack>
  );
}

function ImageChoice({ onChoose }: { onChoose: (search: object) => void }) {
  const tenant = useTenant();
  const { image } = route.useSearch();
  const query = useQuery(readyImagesQuery(tenant));
  if (query.error !== null && query.data === undefined) return <Reading query={query} />;
  return (
    <Select
      label={words.image}
      description={words.imageHint}
      required
      searchable
      nothingFoundMessage={words.noImages}
      data={(query.data?.items ?? []).map(({ id, repository, tag }) => ({
        value: id,
        label: tag === null ? repository : `${repository}:${tag}`,
      }))}
      value={image === undefined || image === '' ? null : image}
      onChange={(id) => onChoose({ image: id ?? '' })}
    />
  );
}

interface VersionChoiceProps {
  readonly served: Served | null;
  readonly onChoose: (search: object) => void;
}

function VersionChoice({ served, onChoose }: VersionChoiceProps) {
  const tenant = useTenant();
  const search = route.useSearch();
  const model = served?.kind === 'version' ? served.name : search.model;
  const number = served?.kind === 'version' ? served.version : 0;
  const models = useQuery(modelNamesQuery(tenant));
  const versions = useQuery({ ...versionsQuery(tenant, model ?? ''), enabled: model !== undefined });
  if (models.error !== null && models.data === undefined) return <Reading query={models} />;
  const names = [...new Set([...(models.data ?? []), ...(model === undefined ? [] : [model])])];
  return (
    <Stack gap="xs">
      <Group grow align="flex-start" gap="sm">
        <Select
          label={words.model}
          required
          searchable
          nothingFoundMessage={words.noModels}
          data={names}
          value={model ?? null}
          onChange={(name) => onChoose(name === null ? {} : { model: name })}
        />
        <Select
          label={words.version}
          required
          disabled={model === undefined}
          data={(versions.data?.items ?? []).map((entry) => ({
            value: String(entry.version),
            label:
              entry.stage === 'None'
                ? text.models.version(entry.version)
                : `${text.models.version(entry.version)} · ${text.models.stages[entry.stage]}`,
          }))}
          value={number > 0 ? String(number) : null}
          onChange={(value) => onChoose({ model, version: value ?? undefined })}
        />
      </Group>
      {model !== undefined && number > 0 && (
        <>
          <ImageHint name={model} version={number} />
          <Unservable model={model} version={number} />
        </>
      )}
    </Stack>
  );
}

function ImageHint({ name, version }: { name: string; version: number }) {
  const tenant = useTenant();
  const { data } = useQuery(versionImageQuery(tenant, name, version, true));
  if (data === undefined || data?.status === 'FAILED') return null;
  return (
    <Text size="sm" c="dimmed">
      {data?.status === 'READY' ? words.hasImage : words.noImageYet}
    </Text>
  );
}
