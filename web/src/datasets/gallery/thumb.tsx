import { Box, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { tenantUrl } from '../../api/client';
import { text } from '../../text';
import type { DatasetFile } from '../queries';

const TRIES = 5;

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface ThumbProps {
  readonly tenant: string;
  readonly file: Pick<DatasetFile, 'id' | 'dataset_id' | 'path' | 'sha256'>;
  readonly alt: string;
  readonly fit?: 'cover' | 'contain';
  readonly onSize?: (size: Size) => void;
}

/** The small copy of a picture. The platform makes two at a time and may be busy: it is asked again a few times. */
export function Thumb({ tenant, file, alt, fit = 'cover', onSize }: ThumbProps) {
  const [failures, setFailures] = useState(0);
  const isHere = useStaying();
  if (!isHere) return null;
  if (failures >= TRIES)
    return (
      <Box h="100%" style={{ display: 'grid', placeItems: 'center' }}>
        <Text size="xs" c="dimmed">
          {text.datasets.gallery.noPreview}
        </Text>
      </Box>
    );
  const query = {
    variant: 'preview',
    v: file.sha256.slice(0, 8),
    ...(failures > 0 ? { try: failures } : {}),
  };
  return (
    <img
      key={failures}
      src={tenantUrl(tenant, `/api/v1/datasets/${file.dataset_id}/files/${file.id}/content`, query)}
      alt={alt}
      decoding="async"
      draggable={false}
      onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
        onSize?.({ width, height })
      }
      onError={() => setTimeout(() => setFailures((before) => before + 1), 600 * 2 ** failures)}
      style={{ width: '100%', height: '100%', objectFit: fit, display: 'block' }}
    />
  );
}

const STAY_MS = 60;

/** True once it was there for a moment: pictures that only pass by are not asked for. */
function useStaying(): boolean {
  const [isHere, setHere] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setHere(true), STAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return isHere;
}
