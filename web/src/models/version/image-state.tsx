import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { body } from '../../api/client';
import { useTenant } from '../../app/session';
import { Allowed } from '../../shared/allowed';
import { CopyText } from '../../shared/copy-text';
import { ErrorCard } from '../../shared/error-card';
import { StateChip } from '../../shared/state-chip';
import { text } from '../../text';
import type { VersionDetail } from '../queries';
import { versionImageQuery, versionQuery } from '../../shared/model-versions';

const words = text.models.versionPage;

/** Image of a version: its reference, the button that has it built, or how far that is. */
export function ImageState({ version }: { version: VersionDetail }) {
  const tenant = useTenant();
  const client = useQueryClient();
  const { name, version: number, image_ref: ref } = version;
  const image = useQuery(versionImageQuery(tenant, name, number, ref === null));
  const build = useMutation({
    mutationFn: () =>
      body(
        tenant.api.POST('/api/v1/models/{name}/{version}/image', {
          params: { path: { name, version: number } },
        }),
      ),
    onSuccess: (answer) =>
      client.setQueryData(versionImageQuery(tenant, name, number, true).queryKey, answer),
  });
  const status = image.data?.status ?? null;
  const isReady = ref === null && status === 'READY';
  useEffect(() => {
    if (isReady) void client.invalidateQueries({ queryKey: versionQuery(tenant, name, number).queryKey });
  }, [isReady, client, tenant, name, number]);
  if (ref !== null) return <CopyText value={ref} shown={shortRef(ref)} />;
  if (status === 'BUILDING') return <StateChip state="BUILDING" />;
  return (
    <Stack gap={4} align="flex-start">
      {status === 'FAILED' ? (
        <>
          <StateChip state="FAILED" />
          <Text size="sm">{image.data?.status_message ?? words.imageFailed}</Text>
        </>
      ) : (
        <span>{words.facts.noImage}</span>
      )}
      <Allowed to="DEVELOP">
        <Button size="compact-sm" variant="default" loading={build.isPending} onClick={() => build.mutate()}>
          {words.buildImage}
        </Button>
      </Allowed>
      {build.isError && <ErrorCard error={build.error} />}
    </Stack>
  );
}

/** `demo/digits@sha256:01234567` of a whole reference. */
const shortRef = (ref: string): string =>
  ref.replace(/^[^/]*\//, '').replace(/(@sha256:[0-9a-f]{8}).*$/, '$1');
