import { Button, Group, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tenantUrl } from '../../api/client';
import { useTenant } from '../../app/session';
import { frozenOffers } from '../../shared/choices/offers';
import { SearchSelect } from '../../shared/choices/search-select';
import { Reading } from '../../shared/reading';
import { text } from '../../text';
import { type DatasetFile, datasetNameQuery, latestFrozenQuery, picturesQuery } from '../queries';

const words = text.serving.try;
const SHOWN = 12;

interface PicturesProps {
  /** Id of the dataset that the model learned from; null: not known. */
  readonly own: string | null;
  readonly isDisabled: boolean;
  readonly onChoose: (file: DatasetFile, url: string) => void;
}

/** Pictures of a dataset, at first of that which the model learned from; one click asks. */
export function DatasetPictures({ own, isDisabled, onChoose }: PicturesProps) {
  const tenant = useTenant();
  const [chosen, setChosen] = useState<string | null>(null);
  const [page, setPage] = useState(1);
  const { data: latest } = useQuery({ ...latestFrozenQuery(tenant), enabled: own === null });
  const dataset = chosen ?? own ?? latest?.id ?? null;
  const { data: name } = useQuery(datasetNameQuery(tenant, dataset));
  const query = useQuery(picturesQuery(tenant, dataset, page, SHOWN));
  const pages = Math.max(1, Math.floor((query.data?.total ?? 0) / SHOWN));
  const urlOf = (file: DatasetFile, variant: 'preview' | 'original') =>
    tenantUrl(
      tenant.code,
      `/api/v1/datasets/${encodeURIComponent(file.dataset_id)}/files/${file.id}/content`,
      {
        variant,
      },
    );
  if (dataset === null) return null;
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <SearchSelect
          w={240}
          label={words.fromDataset}
          allowDeselect={false}
          offers={frozenOffers(tenant)}
          value={dataset}
          valueLabel={name ?? (dataset === latest?.id ? latest.name : undefined)}
          onChange={(id) => {
            setChosen(id);
            setPage(1);
          }}
        />
        {pages > 1 && (
          <Button variant="default" onClick={() => setPage(1 + Math.floor(Math.random() * pages))}>
            {words.more}
          </Button>
        )}
      </Group>
      {query.error !== null && <Reading query={query} />}
      {query.data?.items.length === 0 && <Text c="dimmed">{words.noPictures}</Text>}
      <SimpleGrid cols={{ base: 4, xs: 6, lg: 12 }} spacing={6}>
        {query.data?.items.map((file) => (
          <UnstyledButton
            key={file.id}
            aria-label={words.pictureOf(file.path)}
            title={file.path}
            disabled={isDisabled}
            onClick={() => onChoose(file, urlOf(file, 'original'))}
          >
            <img
              src={urlOf(file, 'preview')}
              alt=""
              loading="lazy"
              style={{
                width: '100%',
                aspectRatio: '1',
                objectFit: 'cover',
                borderRadius: 4,
                border: '1px solid var(--line)',
                display: 'block',
                opacity: isDisabled ? 0.5 : 1,
              }}
            />
          </UnstyledButton>
        ))}
      </SimpleGrid>
    </Stack>
  );
}
